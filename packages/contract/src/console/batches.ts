import { consoleTable } from './operation.ts';

export const batchesOperations = consoleTable({});
