import { consoleTable } from './operation.ts';

export const overviewOperations = consoleTable({});
