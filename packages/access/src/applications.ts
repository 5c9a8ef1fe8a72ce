import type { Channels, Scope } from '@lockstep/contract';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { hashSecret, newSecret } from './secrets.ts';

export type ApplicationStatus = 'pending' | 'approved' | 'suspended';

/** An application's credentials; the secret is shown this once and stored hashed (decisions 2). */
export interface Credentials {
  appKey: string;
  appSecret: string;
}

/** Registers an application, pending unless `approved`, bound to no channel unless told (decisions 2 and 9). */
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

/**
 * Approves or suspends an application; a suspended one's tokens stop working with the next call (decisions 2).
 * Answers false where there is no such application.
 */
export async function setApplicationStatus(db: Database, appKey: string, status: ApplicationStatus): Promise<boolean> {
  const result = await db.updateTable('application').set({ status }).where('app_key', '=', appKey).executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/**
 * Gives an application a new secret, and lets the one that it had go on for `overlapHours` (0: no more). So at most two are
 * good at once: one from before is ended (decisions 2). Key, tokens, batches and idempotency stay. Answers undefined where
 * there is no such application.
 */
export async function rotateSecret(
  db: Database,
  appKey: string,
  overlapHours: number,
): Promise<Credentials | undefined> {
  const appSecret = newSecret();
  const old =
    overlapHours === 0
      ? { old_secret_hash: null, old_secret_end_time: null }
      : {
          old_secret_hash: sql<Buffer>`secret_hash`,
          old_secret_end_time: sql<Date>`statement_timestamp() + make_interval(hours => ${overlapHours})`,
        };
  const { numUpdatedRows } = await db
    .updateTable('application')
    .set({ secret_hash: hashSecret(appSecret), ...old })
    .where('app_key', '=', appKey)
    .executeTakeFirst();
  return numUpdatedRows === 0n ? undefined : { appKey, appSecret };
}

/** What is told of an application to who operates the service; never a secret. */
export interface ListedApplication {
  appKey: string;
  name: string;
  scopes: string[];
  status: ApplicationStatus;
  /** That it is bound to; null where it is not. */
  channels: string[] | null;
  createdTime: Date;
  /** Until when the secret before the last rotation is good; null where it is not, or there is none. */
  oldSecretEndTime: Date | null;
}

/** All applications, oldest first (decisions 9). */
export function listApplications(db: Database): Promise<ListedApplication[]> {
  return db
    .selectFrom('application')
    .select(['app_key as appKey', 'name', 'scopes', 'status', 'channels', 'created_time as createdTime'])
    .select(sql<Date | null>`case when old_secret_end_time > now() then old_secret_end_time end`.as('oldSecretEndTime'))
    .orderBy('id')
    .execute();
}
