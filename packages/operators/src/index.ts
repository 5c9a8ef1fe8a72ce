import type {} from './tables.ts';

export * from './audit-log.ts';
export { createLogInToken, LINK_MINUTES } from './log-in-links.ts';
export * from './manage-applications.ts';
export {
  createOperator,
  disableOperator,
  enableOperator,
  type ListedOperator,
  linkOperator,
  listOperators,
  type NewOperatorLogin,
  resetOperatorPassword,
  searchOperators,
  setOperatorChannels,
  setOperatorRole,
} from './manage-operators.ts';
export { newCommand, type Operator } from './operator.ts';
export type { ProviderPerson } from './provider-logins.ts';
export { OperatorSessions } from './sessions.ts';
export { agedOperators } from './tables.ts';
