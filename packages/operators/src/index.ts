import type {} from './tables.ts';

export * from './audit-log.ts';
export { createLogInToken, LINK_MINUTES } from './log-in-links.ts';
export * from './manage-applications.ts';
export * from './manage-operators.ts';
export { newCommand, type Operator } from './operator.ts';
export type { ProviderPerson } from './provider-logins.ts';
export { OperatorSessions } from './sessions.ts';
export { agedOperators } from './tables.ts';
