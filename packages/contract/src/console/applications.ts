import { consoleTable } from './operation.ts';

export const applicationsOperations = consoleTable({});
