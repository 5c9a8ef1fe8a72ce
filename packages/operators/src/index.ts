import type {} from './tables.ts';

export {
  listAuditLog,
  recordChange,
  recordedCall,
  recordFailed,
  recordMobileSet,
  recordPaused,
  recordResumed,
  recordRetried,
} from './audit-log.ts';
export { hideMobile } from './hidden-mobile.ts';
export { createLogInToken, LINK_MINUTES } from './log-in-links.ts';
export {
  changeApplicationStatus,
  registerApplication,
  revokeApplicationTokens,
  rotateApplicationSecret,
} from './manage-applications.ts';
export {
  createOperator,
  disableOperator,
  enableOperator,
  type ListedOperator,
  listOperators,
  type NewOperatorLogin,
  resetOperatorPassword,
  setOperatorRole,
} from './manage-operators.ts';
export { newCommand, type Operator } from './operator.ts';
export { readResends, recordResend, type SentOrders } from './resends.ts';
export { OperatorSessions } from './sessions.ts';
export { agedOperators } from './tables.ts';
