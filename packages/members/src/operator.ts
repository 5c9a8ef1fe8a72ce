import type {} from './tables.ts';

/** Employees and administrators' passwords, for the console only. */
export { createFirstAdministrator, setAdministratorPassword } from './employees/passwords.ts';
export * from './operator-lists.ts';
