import type { Aged } from '@lockstep/platform';
import type { Generated } from 'kysely';

/** The tables of operators, their sessions and their audit log. */
declare module '@lockstep/platform' {
  interface Tables {
    operator: { id: Generated<string>; name: string };
    operator_audit: {
      id: Generated<string>;
      operator_id: string | null;
      actor: string | null;
      action: string;
      target: string | null;
      before: unknown | null;
      after: unknown | null;
      request_id: string;
      recorded_time: Generated<Date>;
    };
  }
}

/** Ended sessions, which workers delete. */
export const agedOperators: readonly Aged[] = [
  { table: 'operator_session', timeColumn: 'expires_time', maxAgeSeconds: 0 },
];
