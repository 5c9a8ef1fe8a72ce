import { consoleTable } from './operation.ts';

export const assetsOperations = consoleTable({});
