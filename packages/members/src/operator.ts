import type {} from './tables.ts';

/** Employees and administrators' passwords, for the console only. */
export { createFirstAdministrator, setAdministratorPassword } from './employees/passwords.ts';
export {
  listAdministrators,
  listAuditOfAll,
  listEmployeesOfAll,
  readEmployees,
  searchEmployees,
} from './operator-lists.ts';
