import { consoleTable } from './operation.ts';

export const webhooksOperations = consoleTable({});
