import type { Channels, Scope } from '@lockstep/contract';
import type { Database } from '@lockstep/platform';
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
