import type { ApplicationId, MemberId } from '@lockstep/contract';
import { type Aged, SECONDS_OF_DAY } from '@lockstep/platform';
import type { Generated, GeneratedAlways } from 'kysely';

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
      searched: GeneratedAlways<string>;
    };
    access_token: {
      token_hash: Buffer;
      application_id: ApplicationId;
      generation: number;
      scopes: string[];
      expires_time: Date;
      member_id: MemberId | null;
    };
    refused_call: {
      id: Generated<string>;
      application_id: ApplicationId;
      time: Date;
      operation: string;
      code: string;
      cause: string;
      args: string[];
      faults: unknown;
      request_id: string;
      channel_order_id: string | null;
      asset_nums: string[];
      size: number;
    };
    refusal_count: { application_id: ApplicationId; minute: Date; operation: string; cause: string; count: string };
    nonce: { application_id: ApplicationId; nonce: string; used_time: Date };
    kept_answer: {
      application_id: ApplicationId;
      key_hash: Buffer;
      sealed: Buffer | null;
      kept_time: Generated<Date>;
    };
    login_failure: {
      kind: 'user' | 'operator' | 'confirmation' | 'provider';
      name_hash: Buffer;
      party: string;
      failed_times: Date[];
      first_time: Generated<Date>;
      locked_until: Date | null;
      expires_time: Date;
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
  { kind: 'access_token', table: 'access_token', timeColumn: 'expires_time', maxAgeSeconds: 0 },
  { kind: 'nonce', table: 'nonce', timeColumn: 'used_time', maxAgeSeconds: 600 },
  { kind: 'kept_answer', table: 'kept_answer', timeColumn: 'kept_time', maxAgeSeconds: SECONDS_OF_DAY },
  { kind: 'login_failure', table: 'login_failure', timeColumn: 'expires_time', maxAgeSeconds: 0 },
  { kind: 'refused_call', table: 'refused_call', timeColumn: 'time', maxAgeSeconds: REFUSAL_DAYS * SECONDS_OF_DAY },
  { kind: 'refusal_count', table: 'refusal_count', timeColumn: 'minute', maxAgeSeconds: REFUSAL_DAYS * SECONDS_OF_DAY },
];
