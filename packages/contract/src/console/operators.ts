import { consoleTable } from './operation.ts';

export const operatorsOperations = consoleTable({});
