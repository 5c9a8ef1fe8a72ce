import type { Aged } from '@lockstep/platform';

/** Sessions that have ended. */
export const agedOperators: readonly Aged[] = [
  { kind: 'operator_session', table: 'operator_session', timeColumn: 'expires_time', maxAgeSeconds: 0 },
];
