import { ACCESS_TOKEN_SECONDS, type ApplicationId, type Channels, type Operator, type Scope } from '@lockstep/contract';
import type {
  ApplicationDetail,
  ApplicationStatus,
  ConsoleApplication,
  ConsoleData,
  ConsoleRequest,
  Notices,
} from '@lockstep/contract/console';
import { contains, type Database, inMs, ListCursor, readBest, type Tables, type Trx } from '@lockstep/platform';
import { sql, type UpdateObject } from 'kysely';
import { hashSecret, newSecret } from './secrets.ts';
import { MAX_CLIENT_TOKENS } from './tokens.ts';

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
  const { name, scopes, approved, channels = null } = application;
  await sql`
    insert into application (app_key, name, secret_hash, scopes, status, channels)
    values (${credentials.appKey}, ${name}, ${hashSecret(credentials.appSecret)}, ${scopes},
      ${approved ? 'approved' : 'pending'}, ${channels})`.execute(db);
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

/** Binds an application to channels, or removes the binding (null). Returns false if it does not exist. */
export function bindApplication(db: Database, appKey: string, channels: Channels): Promise<boolean> {
  return update(db, appKey, { channels: channels && [...channels] });
}

/** Sets which events of licenses an application gets (rules 6.8). Returns false if it does not exist. */
export function setNotices(
  db: Database,
  appKey: string,
  { hearsLicenses, leadDays }: Required<Notices>,
): Promise<boolean> {
  return update(db, appKey, { hears_licenses: hearsLicenses, lead_days: leadDays });
}

async function update(db: Database, appKey: string, changes: UpdateObject<Tables, 'application'>): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('application')
    .set(changes)
    .where('app_key', '=', appKey)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Starts a query for applications as operators see them, without secrets. An operator who is limited to channels sees
 * those that are bound to some of these channels and to no other (rules 9 Channels of operators).
 */
function selectApplications(db: Database, { channels }: Pick<Operator, 'channels'>) {
  return db
    .selectFrom('application')
    .$if(channels !== null, (all) => all.where(isOurs(channels)))
    .select(['app_key as appKey', 'name', 'scopes', 'status', 'channels', 'created_time as createdTime'])
    .select(['hears_licenses as hearsLicenses', 'lead_days as leadDays'])
    .select(
      sql<Date | null>`case when old_secret_end_time > now() then old_secret_end_time end`.as('oldSecretEndTime'),
    );
}

const isOurs = (channels: Channels) => sql<boolean>`channels <@ ${channels}::text[]`;

type ListedApplication = Awaited<ReturnType<typeof listApplications>>[number];

/** Lists all applications, oldest first, with the end of the secret before the last rotation (rules 9). */
export function listApplications(db: Database) {
  return selectApplications(db, { channels: null }).orderBy('id').execute();
}

const showApplication = ({ createdTime, oldSecretEndTime, scopes, ...row }: ListedApplication): ConsoleApplication => ({
  ...row,
  scopes: scopes as Scope[],
  createdTime: createdTime.getTime(),
  oldSecretEndTime: oldSecretEndTime?.getTime() ?? null,
});

/**
 * Lists applications for operators, newest first; `search` is part of the name or key. It scans all rows, because a
 * service has tens of applications, rarely thousands. Throws a WrongCursor.
 */
export async function listApplicationPage(
  db: Database,
  viewer: Operator,
  { limit, cursor, ...filters }: ConsoleRequest<'listApplications'>['query'],
): Promise<ConsoleData<'listApplications'>> {
  const { search, status } = filters;
  const cursors = new ListCursor(['applications', filters], cursor);
  const rows = await selectApplications(db, viewer)
    .select('id')
    .$if(status !== undefined, (query) => query.where('status', '=', status!))
    .$if(search !== undefined, (query) => query.where(contains('searched', search!)))
    .$if(cursors.after !== null, (query) => query.where('id', '<', cursors.after![0] as ApplicationId))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  const { page, nextCursor } = cursors.cut(rows, limit, ({ id }) => [id]);
  return { applications: page.map(({ id: _, ...row }) => showApplication(row)), nextCursor };
}

/** Finds the applications that match a text best. */
export const searchApplications = (db: Database, { channels }: Operator, text: string, limit: number) =>
  readBest<Pick<ConsoleApplication, 'appKey' | 'name' | 'status'>>(db, {
    ...{ table: 'application', text, limit },
    rows: channels === null ? sql`application` : sql`(select * from application where ${isOurs(channels)})`,
    columns: sql`app_key as "appKey", name, status`,
  });

/** Finds an application by its key, for operators, and locks it with `lock`; undefined if it does not exist. */
export async function findApplication(
  db: Database | Trx,
  viewer: Operator,
  appKey: string,
  { lock = false } = {},
): Promise<ConsoleApplication | undefined> {
  const row = await selectApplications(db, viewer)
    .where('app_key', '=', appKey)
    .$if(lock, (found) => found.forNoKeyUpdate())
    .executeTakeFirst();
  return row && showApplication(row);
}

/** The highest count shown: an application has no more tokens of its own. */
const MAX_COUNTED = MAX_CLIENT_TOKENS;

/**
 * Counts the live tokens of an application, and returns when it got the newest that is stored; without those of its
 * users. Tokens are stored until they expire.
 */
export async function readOwnTokens(
  db: Database,
  appKey: string,
): Promise<Pick<ApplicationDetail, 'liveTokens' | 'lastTokenTime'>> {
  const { rows } = await sql<{ count: number; lastTokenTime: number | null }>`
    select count(*) filter (where generation = token_generation)::int as count,
      ${inMs('max(expires_time)')} - ${ACCESS_TOKEN_SECONDS * 1000}::float8 as "lastTokenTime"
    from (
      select expires_time, generation, token_generation from access_token
      join application on application.id = application_id
      where app_key = ${appKey} and member_id is null and expires_time > now()
      order by expires_time desc limit ${MAX_COUNTED + 1}
    ) as live`.execute(db);
  const { count, lastTokenTime } = rows[0]!;
  return { liveTokens: { count: Math.min(count, MAX_COUNTED), isMore: count > MAX_COUNTED }, lastTokenTime };
}

/** How operators know an application. */
type ApplicationName = Pick<ConsoleApplication, 'appKey' | 'name'>;

/** Reads the names of applications, by id. No application has the id null. */
export async function readApplications(
  db: Database,
  applicationIds: Iterable<ApplicationId | null>,
): Promise<Map<ApplicationId | null, ApplicationName>> {
  const { rows } = await sql<ApplicationName & { id: ApplicationId }>`
    select id, app_key as "appKey", name from application
    where id = any (${[...new Set(applicationIds)]}::bigint[])`.execute(db);
  return new Map(rows.map(({ id, ...name }) => [id, name]));
}
