import type {} from './tables.ts';

export type { Actor } from './actor.ts';
export { addEmployees } from './add-employees.ts';
export { readAudit } from './audit.ts';
export { configureAssets } from './configure-assets.ts';
export { deleteEmployee } from './delete-employee.ts';
export { editEmployee, resetPassword } from './edit-employee.ts';
export { lendAssets } from './lend-assets.ts';
export { listEmployees } from './list-employees.ts';
export { listAssets, listBorrowedLocks, readAssetContents } from './list-holdings.ts';
export { createAdministrator, type NewLogin, setPassword } from './operator-passwords.ts';
