import type { ApplicationId } from '@lockstep/contract';
import { type Aged, SECONDS_OF_DAY } from '@lockstep/platform';
import type { Generated } from 'kysely';

/** Applications, their tokens, nonces and refused calls, and failed logins. */
declare module '@lockstep/platform' {
  interface Tables {
    application: {
      id: Generated<ApplicationId>;
      app_key: string;
      name: string;
      secret_hash: Buffer;
      scopes: string[];
      status: Generated<'pending' | 'approved' | 'suspended'>;
      token_generation: Generated<number>;
      created_time: Generated<Date>;
      channels: string[] | null;
      old_secret_hash: Buffer | null;
      old_secret_end_time: Date | null;
      hears_licenses: Generated<boolean>;
      lead_days: Generated<number[]>;
    };
  }
}

const REFUSAL_DAYS = 7;

/**
 * Expired tokens, nonces and keys that can be used again, failed logins that no longer count, and old refusals (rules
 * 1.2, 1.3, 2 and 3). Deleting a nonce takes about 2 µs. A ring of tables, of which the oldest is truncated, would cost
 * each call at least 15 µs.
 */
export const agedAccess: readonly Aged[] = [
  { table: 'access_token', timeColumn: 'expires_time', maxAgeSeconds: 0 },
  { table: 'nonce', timeColumn: 'used_time', maxAgeSeconds: 600 },
  { table: 'kept_answer', timeColumn: 'kept_time', maxAgeSeconds: SECONDS_OF_DAY },
  { table: 'login_failure', timeColumn: 'expires_time', maxAgeSeconds: 0 },
  { table: 'refused_call', timeColumn: 'time', maxAgeSeconds: REFUSAL_DAYS * SECONDS_OF_DAY },
  { table: 'refusal_count', timeColumn: 'minute', maxAgeSeconds: REFUSAL_DAYS * SECONDS_OF_DAY },
];
