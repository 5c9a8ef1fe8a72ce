import type { ApplicationId } from '@lockstep/contract';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';

/** What operators call an application. */
interface ApplicationName {
  appKey: string;
  name: string;
}

/** Reads what some applications are called, by id. */
export async function readApplications(
  db: Database,
  applicationIds: Iterable<ApplicationId>,
): Promise<Map<ApplicationId, ApplicationName>> {
  const ids = [...new Set(applicationIds)];
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('application')
    .select(['id', 'app_key', 'name'])
    .where(sql<boolean>`id = any (${ids}::bigint[])`)
    .execute();
  return new Map(rows.map(({ id, app_key: appKey, name }) => [id, { appKey, name }]));
}
