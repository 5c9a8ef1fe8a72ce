import type {} from './tables.ts';

export {
  type Credentials,
  createApplication,
  listApplications,
  revokeTokens,
  rotateSecret,
  setApplicationStatus,
} from './applications.ts';
export { type Caller, CallVerifier } from './call-verifier.ts';
export { answerOnce, isKey, type KeyOwner } from './kept-answers.ts';
export {
  type Attempt,
  checkPassword,
  endLogins,
  type Failure,
  forgetFailures,
  isLocked,
  recordFailure,
} from './logins.ts';
export { newPassword, PasswordHasher, type PasswordTools } from './passwords.ts';
export { RefusalRecorder } from './refusal-recorder.ts';
export { listRefusals } from './refusals.ts';
export { hashSecret, newSecret } from './secrets.ts';
export { agedAccess } from './tables.ts';
export * from './tokens.ts';
