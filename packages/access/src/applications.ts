import type { Channels, Scope } from '@lockstep/contract';
import type { Database, Tables } from '@lockstep/platform';
import { sql, type UpdateObject } from 'kysely';
import { hashSecret, newSecret } from './secrets.ts';

type ApplicationStatus = 'pending' | 'approved' | 'suspended';

/** An application's credentials. The secret is shown only this once and stored hashed (rules 2). */
export interface Credentials {
  appKey: string;
  appSecret: string;
}

/**
 * Registers an application and returns its credentials. It is pending unless `approved`, and may name any channel
 * unless `channels` binds it (rules 2 and 9).
 */
export async function createApplication(
  db: Database,
  application: { name: string; scopes: Scope[]; approved: boolean; channels?: Channels },
): Promise<Credentials> {
  const credentials = { appKey: `app_${newSecret().slice(0, 16)}`, appSecret: newSecret() };
  await db
    .insertInto('application')
    .values({
      app_key: credentials.appKey,
      name: application.name,
      secret_hash: hashSecret(credentials.appSecret),
      scopes: application.scopes,
      status: application.approved ? 'approved' : 'pending',
      channels: application.channels == null ? null : [...application.channels],
    })
    .execute();
  return credentials;
}

/** Revokes all tokens of an application and of its users: tokens of an earlier generation are invalid (rules 2). */
const NEXT_GENERATION = { token_generation: sql<number>`token_generation + 1` };

/**
 * Approves or suspends an application. Suspending it revokes its tokens from the next call on (rules 2). Returns false
 * if the application does not exist.
 */
export function setApplicationStatus(db: Database, appKey: string, status: ApplicationStatus): Promise<boolean> {
  return update(db, appKey, status === 'approved' ? { status } : { status, ...NEXT_GENERATION });
}

/** Revokes all tokens of an application and of its users (rules 2). Returns false if the application does not exist. */
export function revokeTokens(db: Database, appKey: string): Promise<boolean> {
  return update(db, appKey, NEXT_GENERATION);
}

/**
 * Gives an application a new secret (rules 2). The current secret stays valid for `overlapHours` (0: it ends now), and
 * any older one ends, so at most two are valid. Without an overlap, all tokens are revoked. The appKey and the
 * idempotency of its batches stay. Returns undefined if the application does not exist.
 */
export async function rotateSecret(
  db: Database,
  appKey: string,
  overlapHours: number,
): Promise<Credentials | undefined> {
  const appSecret = newSecret();
  const old =
    overlapHours === 0
      ? { old_secret_hash: null, old_secret_end_time: null, ...NEXT_GENERATION }
      : {
          old_secret_hash: sql<Buffer>`secret_hash`,
          old_secret_end_time: sql<Date>`statement_timestamp() + make_interval(hours => ${overlapHours})`,
        };
  const isThere = await update(db, appKey, { secret_hash: hashSecret(appSecret), ...old });
  return isThere ? { appKey, appSecret } : undefined;
}

async function update(db: Database, appKey: string, changes: UpdateObject<Tables, 'application'>): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('application')
    .set(changes)
    .where('app_key', '=', appKey)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** An application as an operator sees it, without secrets. */
interface ListedApplication {
  appKey: string;
  name: string;
  scopes: string[];
  status: ApplicationStatus;
  /** The channels that the application is bound to; null if it may name any. */
  channels: string[] | null;
  createdTime: Date;
  /** When the secret before the last rotation ends; null if no such secret is still valid. */
  oldSecretEndTime: Date | null;
}

/** Lists all applications, oldest first (rules 9). */
export function listApplications(db: Database): Promise<ListedApplication[]> {
  return db
    .selectFrom('application')
    .select(['app_key as appKey', 'name', 'scopes', 'status', 'channels', 'created_time as createdTime'])
    .select(sql<Date | null>`case when old_secret_end_time > now() then old_secret_end_time end`.as('oldSecretEndTime'))
    .orderBy('id')
    .execute();
}
