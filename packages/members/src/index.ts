import type {} from './tables.ts';

export * from './add-employees.ts';
export { readAudit } from './audit.ts';
export * from './configure-assets.ts';
export * from './delete-employee.ts';
export * from './edit-employee.ts';
export * from './lend-assets.ts';
export * from './list-employees.ts';
export * from './list-holdings.ts';
export * from './operator.ts';
export type { Actor } from './scope.ts';
export type * from './tools.ts';
