import type { Aged } from '@lockstep/platform';

/** Sessions that have ended, and failed logins that no longer count. */
export const agedOperators: readonly Aged[] = [
  { kind: 'operator_session', table: 'operator_session', timeColumn: 'expires_time', maxAgeSeconds: 0 },
  {
    kind: 'operator_login_failure',
    table: 'operator_login_failure',
    timeColumn: 'expires_time',
    maxAgeSeconds: 0,
  },
];
