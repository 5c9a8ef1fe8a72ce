import type { Credentials } from '@lockstep/access';
import type { ApplicationId } from '@lockstep/contract';
import type { Database } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';

/**
 * Returns the number of rows of each table and a digest of them. If two results are equal, nothing was stored, changed
 * or deleted in between. Omits nonces, because every call uses one up, and refused calls. Events are compared without
 * their position, which they get a little later; activity by its sums, because workers add it up at any time; webhooks
 * only by what operations write, because workers send messages at any time.
 */
export function contentOfTables(db: Database): Promise<Record<string, { rows: number; digest: string }>> {
  return db.connection().execute(async (connection) => {
    // Prepared once per connection: thousands of tests run it, and planning takes longer than running it.
    const { rows: prepared } = await sql`
      select from pg_prepared_statements where name = 'content_of_tables'`.execute(connection);
    if (prepared.length === 0) await prepareLook(connection);
    const { rows } = await sql<{ name: string; rows: number; digest: string }>`
      execute content_of_tables`.execute(connection);
    return Object.fromEntries(rows.map(({ name, ...content }) => [name, content]));
  });
}

/** Returns what a refused call must not change: leaves out tokens and failed logins, too, which the cleanup deletes. */
export async function contentWithoutLogins(db: Database) {
  const { access_token: _tokens, login_failure: _failures, ...others } = await contentOfTables(db);
  return others;
}

/** Returns the id of an application. */
export async function applicationIdOf(db: Database, { appKey }: Pick<Credentials, 'appKey'>): Promise<ApplicationId> {
  const found = db.selectFrom('application').select('id').where('app_key', '=', appKey);
  return (await found.executeTakeFirstOrThrow()).id;
}

/** Returns everything in a database as text. */
export async function storedText(db: Database): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`.execute(db);
  const texts = tables.map(async ({ name }) => {
    const { rows } = await sql<{ text: string }>`
      select coalesce(string_agg(each::text, chr(10)), '') as text from ${sql.raw(name)} as each`.execute(db);
    return rows[0]!.text;
  });
  return (await Promise.all(texts)).join('\n');
}

/** Tables that are not compared. */
const LEFT_OUT = [
  ...['nonce', 'lane', 'unnumbered_event', 'event_counter', 'uncounted_activity', 'failure_activity'],
  ...['channel_activity', 'pending_orders', 'webhook_attempt', 'refused_call', 'refusal_count'],
  ...['expiry_search', 'found_expiry'],
];
/** Tables of which only a part is compared. */
const PARTS: Record<string, RawBuilder<unknown>> = {
  event: sql`(
    select batch_id, type, happened_time from event where batch_id is not null
    union all select batch_id, type, happened_time from unnumbered_event where batch_id is not null
  )`,
  order_activity: sql`(
    select sum(accepted) as accepted, sum(succeeded) as succeeded, sum(failed) as failed from (
      select accepted, succeeded, failed from order_activity
      union all select accepted, succeeded, failed from uncounted_activity
    ) as done
  )`,
  webhook: sql`(
    select id, url, description, types, channel_codes, secret, paused_time, disabled_time, deleted_time from webhook
  )`,
  webhook_delivery: sql`(select id, webhook_id from webhook_delivery where position is null)`,
};

/** Prepares the query over all tables. */
async function prepareLook(connection: Database): Promise<void> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r'
      and relname <> all (${LEFT_OUT})`.execute(connection);
  const looks = tables.map(({ name }) => ({ name, content: PARTS[name] ?? sql.table(name) }));
  const digests = looks.map(
    ({ name, content }) => sql`
      select ${sql.lit(name)} as name, count(*)::int as rows,
        md5(coalesce(string_agg(each::text, chr(10) order by each::text), '')) as digest
      from ${content} as each`,
  );
  await sql`prepare content_of_tables as ${sql.join(digests, sql` union all `)}`.execute(connection);
}

// biome-ignore lint/suspicious/noExplicitAny: the tests say what they expect in such a row
export type AnyRow = Record<string, any>;
/** The tables of which only tests have typed queries. */
type OfTests =
  | ('access_token' | 'asset_grant' | 'asset_number' | 'asset_transfer' | 'batch' | 'batch_trace' | 'channel')
  | ('customer_contact' | 'failed_order' | 'held_order' | 'kept_answer' | 'lane_chunk' | 'license_order' | 'lock_audit')
  | ('login_failure' | 'merchandise_instance' | 'nonce' | 'operator_session' | 'order_hold' | 'product_instance')
  | ('product_terms' | 'webhook_delivery' | 'webhook_old_secret');
declare module '@lockstep/platform' {
  interface Tables extends Record<OfTests, AnyRow> {}
}
