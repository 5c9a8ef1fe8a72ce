import type { ApplicationId, Channels, Scope } from '@lockstep/contract';
import type { ApplicationStatus, BoundedCount, ConsoleApplication } from '@lockstep/contract/console';
import type { Database, Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import type {} from '../tables.ts';
import { MAX_CLIENT_TOKENS } from '../tokens.ts';

/** Filters for a list of applications. */
interface ApplicationFilters {
  /** Part of the name or key, ignoring case. */
  search: string | undefined;
  status: ApplicationStatus | undefined;
}

/**
 * Lists applications, newest first: a page after an id, and the id of its last row, null on the last page. The search
 * scans all rows, because a service has tens of applications, rarely thousands.
 */
export async function listApplicationPage(
  db: Database,
  { search, status }: ApplicationFilters,
  { after, limit }: { after: ApplicationId | null; limit: number },
): Promise<{ applications: ConsoleApplication[]; stop: ApplicationId | null }> {
  const wanted = search?.toLowerCase();
  const rows = await shownOf(db)
    .$if(status !== undefined, (query) => query.where('status', '=', status!))
    .$if(wanted !== undefined, (query) =>
      query.where(sql<boolean>`(strpos(lower(name), ${wanted}) > 0 or strpos(lower(app_key), ${wanted}) > 0)`),
    )
    .$if(after !== null, (query) => query.where('id', '<', after!))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  const page = rows.slice(0, limit);
  return { applications: page.map(showApplication), stop: rows.length > limit ? page.at(-1)!.id : null };
}

/** An application and its id, which operators do not see. */
export interface FoundApplication {
  id: ApplicationId;
  application: ConsoleApplication;
}

/** Finds an application by its key; undefined if it does not exist. */
export async function findApplication(db: Database, appKey: string): Promise<FoundApplication | undefined> {
  const row = await shownOf(db).where('app_key', '=', appKey).executeTakeFirst();
  return row && { id: row.id, application: showApplication(row) };
}

/** Finds an application by its key, and locks it until the transaction ends. */
export async function lockApplication(trx: Trx, appKey: string): Promise<FoundApplication | undefined> {
  const row = await shownOf(trx).where('app_key', '=', appKey).forNoKeyUpdate().executeTakeFirst();
  return row && { id: row.id, application: showApplication(row) };
}

/** Binds an application to channels, or removes the binding (null). Returns the changed application. */
export async function bindApplication(trx: Trx, id: ApplicationId, channels: Channels): Promise<ConsoleApplication> {
  await trx
    .updateTable('application')
    .set({ channels: channels === null ? null : [...channels] })
    .where('id', '=', id)
    .execute();
  return await readApplication(trx, id);
}

/** The highest count shown: an application has no more tokens of its own. */
const MAX_COUNTED = MAX_CLIENT_TOKENS;

/** Counts the live tokens of an application, without those of its users. */
export async function countLiveTokens(db: Database, id: ApplicationId): Promise<BoundedCount> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from access_token
      where application_id = ${id} and member_id is null and expires_time > now()
        and generation = (select token_generation from application where id = ${id})
      limit ${MAX_COUNTED + 1}
    ) as live`.execute(db);
  const count = rows[0]!.count;
  return { count: Math.min(count, MAX_COUNTED), isMore: count > MAX_COUNTED };
}

async function readApplication(db: Database, id: ApplicationId): Promise<ConsoleApplication> {
  return showApplication(await shownOf(db).where('id', '=', id).executeTakeFirstOrThrow());
}

function shownOf(db: Database) {
  return db
    .selectFrom('application')
    .select(['id', 'app_key', 'name', 'scopes', 'status', 'channels', 'created_time'])
    .select(
      sql<Date | null>`case when old_secret_end_time > now() then old_secret_end_time end`.as('old_secret_end_time'),
    );
}

type ShownRow = Awaited<ReturnType<ReturnType<typeof shownOf>['executeTakeFirstOrThrow']>>;

function showApplication(row: ShownRow): ConsoleApplication {
  return {
    appKey: row.app_key,
    name: row.name,
    scopes: row.scopes as Scope[],
    status: row.status,
    channels: row.channels,
    createdTime: row.created_time.getTime(),
    oldSecretEndTime: row.old_secret_end_time?.getTime() ?? null,
  };
}

/** How operators know an application. */
interface ApplicationName {
  appKey: string;
  name: string;
}

/** Reads the names of applications, by id. */
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
