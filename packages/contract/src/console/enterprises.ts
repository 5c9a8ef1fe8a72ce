import { consoleTable } from './operation.ts';

export const enterprisesOperations = consoleTable({});
