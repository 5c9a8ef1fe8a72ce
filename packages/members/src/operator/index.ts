import type {} from '../tables.ts';

/** What operators see of employees, and the passwords that they give to administrators. Only the console imports it. */
export { createFirstAdministrator, setAdministratorPassword } from './administrators.ts';
export { listAuditOfAll } from './audit.ts';
export { listAdministrators, listEmployeesOfAll, readHolders } from './employees.ts';
