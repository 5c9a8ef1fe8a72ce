import type {} from './tables.ts';

export * from './applications.ts';
export * from './calls.ts';
export * from './expire.ts';
export { endLogins } from './logins.ts';
export * from './passwords.ts';
export * from './tokens.ts';
