import { consoleTable } from './operation.ts';

export const ordersOperations = consoleTable({});
