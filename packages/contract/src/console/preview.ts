import { consoleTable } from './operation.ts';

export const previewOperations = consoleTable({});
