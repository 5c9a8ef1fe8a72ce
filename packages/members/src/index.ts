import type {} from './tables.ts';

export { configureAssets, configureEmployees, lendAssets } from './assets/change.ts';
export { countSeats } from './assets/count-seats.ts';
export { listHoldings } from './assets/holding-history.ts';
export { listAssets, listBorrowedLocks, readAssetContents } from './assets/list-holdings.ts';
export { readAudit } from './audit.ts';
export { addEmployees } from './employees/add.ts';
export { deleteEmployee, editEmployee, resetPassword } from './employees/change.ts';
export { listEmployees } from './employees/list.ts';
export { createAdministrator, type NewLogin, setPassword } from './employees/passwords.ts';
export type { Actor } from './tenant.ts';
