import type { ApplicationId, Channels, Scope } from '@lockstep/contract';
import type { ApplicationStatus, BoundedCount, ConsoleApplication } from '@lockstep/contract/console';
import type { Database, Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import type {} from '../tables.ts';
import { MAX_CLIENT_TOKENS } from '../tokens.ts';

/** Which applications an operator looks for. */
interface ApplicationFilters {
  /** A part of the name or of the key, in any case. */
  search: string | undefined;
  status: ApplicationStatus | undefined;
}

/**
 * Lists applications, newest first: a page of those behind an id, and the id that it ends with, null at the end. A
 * service has tens of applications, seldom thousands: the search walks through their rows.
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

/** An application with its id, which operators do not see. */
export interface FoundApplication {
  id: ApplicationId;
  application: ConsoleApplication;
}

/** Finds an application by its key; undefined if there is none. */
export async function findApplication(db: Database, appKey: string): Promise<FoundApplication | undefined> {
  const row = await shownOf(db).where('app_key', '=', appKey).executeTakeFirst();
  return row && { id: row.id, application: showApplication(row) };
}

/** Finds an application as findApplication does, and keeps it from changing until the transaction ends. */
export async function lockApplication(trx: Trx, appKey: string): Promise<FoundApplication | undefined> {
  const row = await shownOf(trx).where('app_key', '=', appKey).forNoKeyUpdate().executeTakeFirst();
  return row && { id: row.id, application: showApplication(row) };
}

/** Binds an application to channels, or to none, and returns it as it is then. */
export async function bindApplication(trx: Trx, id: ApplicationId, channels: Channels): Promise<ConsoleApplication> {
  await trx
    .updateTable('application')
    .set({ channels: channels === null ? null : [...channels] })
    .where('id', '=', id)
    .execute();
  return await readApplication(trx, id);
}

/** Live tokens that are counted at most: an application has no more of its own. */
const MAX_COUNTED = MAX_CLIENT_TOKENS;

/** Counts the tokens of an application itself, not of users, that have neither expired nor been revoked. */
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
