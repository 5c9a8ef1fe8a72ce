import type {} from './tables.ts';

/** What operators see of employees, and the passwords that they give to administrators. Only the console imports it. */
export { listAuditOfAll } from './operator-audit.ts';
export { listAdministrators, listEmployeesOfAll, readHolders } from './operator-employees.ts';
export { createFirstAdministrator, setAdministratorPassword } from './operator-passwords.ts';
