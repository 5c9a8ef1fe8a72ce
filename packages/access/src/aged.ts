import type { Aged } from '@lockstep/platform';

/** Tokens that have expired, nonces that may be used again and failed logins that no longer count (rules 2 and 3). */
export const agedAccess: readonly Aged[] = [
  { kind: 'access_token', table: 'access_token', timeColumn: 'expires_time', maxAgeSeconds: 0 },
  { kind: 'nonce', table: 'nonce', timeColumn: 'used_time', maxAgeSeconds: 600 },
  { kind: 'login_failure', table: 'login_failure', timeColumn: 'expires_time', maxAgeSeconds: 0 },
];
