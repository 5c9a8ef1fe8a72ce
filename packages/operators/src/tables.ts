import type { Aged } from '@lockstep/platform';
import type { Generated } from 'kysely';

/** The tables of operators, their sessions and their audit log. */
declare module '@lockstep/platform' {
  interface Tables {
    operator: {
      id: Generated<string>;
      name: string;
      role: 'viewer' | 'support' | 'admin';
      channels: string[] | null;
      password_hash: string | null;
      issuer: string | null;
      subject: string | null;
      created_time: Generated<Date>;
      disabled_time: Date | null;
      link_token_hash: Buffer | null;
      link_expires_time: Date | null;
    };
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
