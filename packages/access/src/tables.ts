import type { Generated } from 'kysely';

/** The tables of applications, their tokens and nonces, and of failed logins. */
declare module '@lockstep/platform' {
  interface Tables {
    application: {
      id: Generated<string>;
      app_key: string;
      name: string;
      secret_hash: Buffer;
      scopes: string[];
      status: Generated<'pending' | 'approved' | 'suspended'>;
      created_time: Generated<Date>;
      channels: string[] | null;
      old_secret_hash: Buffer | null;
      old_secret_end_time: Date | null;
    };
    access_token: {
      token_hash: Buffer;
      application_id: string;
      scopes: string[];
      expires_time: Date;
      member_id: string | null;
    };
    nonce: { application_id: string; nonce: string; used_time: Date };
    login_failure: {
      account_hash: Buffer;
      failed_times: Date[];
      locked_until: Date | null;
      expires_time: Date;
      application_id: string;
    };
  }
}
