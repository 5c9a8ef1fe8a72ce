import type { ApplicationId, MemberId } from '@lockstep/contract';
import type { Generated } from 'kysely';

/** The tables of applications, their tokens and nonces, and of failed logins. */
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
    };
    access_token: {
      token_hash: Buffer;
      application_id: ApplicationId;
      generation: number;
      scopes: string[];
      expires_time: Date;
      member_id: MemberId | null;
    };
    nonce: { application_id: ApplicationId; nonce: string; used_time: Date };
    login_failure: {
      kind: 'user' | 'operator' | 'confirmation';
      name_hash: Buffer;
      party: string;
      failed_times: Date[];
      first_time: Generated<Date>;
      locked_until: Date | null;
      expires_time: Date;
    };
  }
}
