import type {} from '../tables.ts';

/** Employees and administrators' passwords, for the console only. */
export { createFirstAdministrator, setAdministratorPassword } from './administrators.ts';
export { listAuditOfAll } from './audit.ts';
export { listAdministrators, listEmployeesOfAll } from './employees.ts';
