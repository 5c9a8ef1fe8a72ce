import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { afterAll, expect, it, vi } from 'vitest';
import { ConsoleClient } from '../harness/browser/console.ts';
import { recordQueries } from '../harness/databases/explain.ts';
import { FILL_STATEMENTS } from '../harness/databases/fill-statements.ts';
import { newCustomersInLanes } from '../harness/orders/lanes.ts';
import { batchOf, deleteAsset, deleteProduct, merchandise, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { syncOf } from '../harness/orders/sync-batches.ts';
import { testStack } from '../harness/stack.ts';

/**
 * PostgreSQL may cache a generic plan of a prepared statement, perhaps while all tables are empty, and keep it while
 * they grow. Such a plan must not read all of a large table.
 */
const HOT = [
  ...[
    'judge_attempts',
    'accept_batches',
    'accept_traced',
    'accept_unknown',
    'claim_shared',
    'claim_alone',
    'use_turns',
  ],
  ...['lock_free_lanes', 'read_pending', 'read_ahead', 'read_result_pages', 'find_earlier', 'lock_assets'],
  ...['read_found', 'read_grants', 'count_active', 'count_contents', 'read_merchandises', 'insert_license_order'],
  ...['update_assets', 'finish_chunks', 'complete_batches', 'list_batches', 'orders_by_id', 'orders_of_batches'],
  ...['read_sent_orders', 'history_steps', 'history_instances', 'read_products', 'insert_product_terms'],
  ...['insert_product_instance', 'revoke_product_instance', 'update_contents_product_instance', 'end_grants'],
  ...['measure_contents', 'read_merchandise_instances', 'read_product_instances', 'add_deliveries'],
];
/** These look through pending batches, by any index of those. */
const OF_OPEN = /^open_batches/;
/** Tables with one row or few rows per batch. */
const PER_BATCH = ['batch', 'event', 'lane_chunk', 'product_terms'];
const LARGE = [
  ...['batch', 'lane_chunk', 'license_order', 'asset', 'asset_grant', 'product_terms', 'product_instance'],
  ...['event', 'webhook_delivery'],
];

/** Pending chunks in lanes that no worker drains. */
const FILL_CHUNKS = `insert into lane_chunk (batch_id, lane, customer_ids, order_count, weight, payload, payload_version)
  select batch_id, 160 + batch_id % 4, '{1}', 1, 1, '[]', 1 from generate_series($1::bigint, $2::bigint) as batch_id
  where $3::text[] is not null`;

/** More and longer terms than a real catalog has. */
const FILL_TERMS = `insert into product_terms (fields)
  select json_build_object('productUri', 'gms-' || n, 'productName', repeat('P', 1000))
  from generate_series($1::bigint, $2::bigint + 8000) as n
  where $3::text[] is not null`;

const FILL_DELIVERIES = `with owner as (
    insert into webhook (application_id, url, secret, after_position)
    select 1, 'http://127.0.0.1:1/', '', 0 from generate_series(1, 50) returning id
  ) insert into webhook_delivery (webhook_id, position, type, state, due_time)
  select id, n, 'batch.completed', 'delivered', null
  from owner cross join generate_series($1::bigint, $2::bigint + 400) as n where $3::text[] is not null`;

const sent = recordQueries();
afterAll(() => void vi.restoreAllMocks());
const { stack, api } = await testStack({ webhookAllowPrivate: true });
const { stack: empty, api: idle } = await testStack({ worker: false });

interface Node {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Filter?: string;
  Plans?: Node[];
}

/**
 * Returns the tables of which a plan reads all rows, or all rows of an application or channel. A page ends at its
 * LIMIT, unless it looks through an index for rows that match a filter.
 */
function listWhole(node: Node, parent?: Node): string[] {
  const { 'Node Type': type, 'Relation Name': table, 'Index Name': index = '', 'Index Cond': condition, Filter } = node;
  const isScan = table !== undefined && type.endsWith('Scan') && !type.startsWith('Bitmap');
  const isPage = index !== '' && Filter === undefined && parent?.['Node Type'] === 'Limit';
  const isWhole = isScan && !isPage && (condition === undefined || index.endsWith('_accepted'));
  return [...(isWhole ? [table] : []), ...(node.Plans ?? []).flatMap((each) => listWhole(each, node))];
}

/** Returns the tables that the generic plan of each prepared statement reads completely. */
async function findWhole(db: Database, names: ReadonlyMap<string, string>): Promise<[name: string, string[]][]> {
  const found: [string, string[]][] = [];
  await db.transaction().execute(async (trx) => {
    await sql`select set_config('lockstep.lanes', '1,2', true)`.execute(trx);
    for (const [text, name] of names) {
      const explaining = sql.raw<{ 'QUERY PLAN': [{ Plan: Node }] }>(`explain (generic_plan, format json) ${text}`);
      const { rows } = await explaining.execute(trx);
      found.push([name, listWhole(rows[0]!['QUERY PLAN'][0].Plan)]);
    }
  });
  return found;
}

/** Fills the tables as the benchmark does, within moments, so that PostgreSQL has no statistics of them yet. */
async function fill(db: Database, customerId: string): Promise<void> {
  const own = [
    ['lane_chunk', FILL_CHUNKS],
    ['product_terms', FILL_TERMS],
    ['webhook_delivery', FILL_DELIVERIES],
  ] as const;
  for (const [table, text] of [...Object.entries(FILL_STATEMENTS), ...own]) {
    await sql.raw(`alter table ${table} disable trigger user`).execute(db);
    const batches = PER_BATCH.includes(table) ? 2_000 : 50;
    const values = ['10001', String(10_000 + batches), `'{${customerId}}'`];
    await sql.raw(text.replace(/\$(\d)/g, (_, place) => values[place - 1]!)).execute(db);
  }
}

/** Stores as many short terms as autovacuum waits for before it collects their first statistics, and collects them. */
async function analyzeFirstTerms(db: Database): Promise<void> {
  await sql`
    insert into product_terms (fields)
    select json_build_object('productUri', 'gms-' || n, 'productName', 'P')
    from pg_class cross join lateral generate_series(0, coalesce((
      select option_value from pg_options_to_table(reloptions) where option_name = 'autovacuum_analyze_threshold'
    ), current_setting('autovacuum_analyze_threshold'))::int) as n
    where pg_class.oid = 'product_terms'::regclass`.execute(db);
  await sql`analyze product_terms`.execute(db);
}

/** Collects statistics of all tables. Returns the large ones. */
async function analyze(db: Database): Promise<string[]> {
  await sql`vacuum analyze`.execute(db);
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relkind = 'r' and reltuples > 1000`.execute(db);
  return rows.map(({ name }) => name);
}

it('read no large table completely', async () => {
  const [one, other] = await newCustomersInLanes(api, 2);
  await api.ask('createWebhook', { body: { url: 'http://127.0.0.1:1/' } });
  const [num, gone] = [newAssetNum(), newAssetNum()];
  await api.process(batchOf(newBuy(one!, [num], {}, { merchandises: [merchandise()] }), newBuy(one!, [gone])));
  await api.process(batchOf(deleteAsset(one!, [gone]), deleteAsset(other!, [newAssetNum()])));
  await api.process(batchOf(deleteProduct(one!, [num])));
  await api.process(batchOf(newBuy(other!, [num], {}, { transferedAssetNum: true })));
  await api.accept(syncOf(newBuy(one!, [newAssetNum()])));
  const traced = { headers: { traceparent: `00-${'1'.repeat(32)}-${'1'.repeat(16)}-01` } };
  await api.submit(batchOf(newBuy(one!, [newAssetNum()])), traced);
  await api.submit(syncOf(newBuy(one!, [newAssetNum()])), traced);
  await api.accept(batchOf(newBuy({ ...one!, customerId: '1' as never }, [newAssetNum()]), newBuy(one!, [num])));
  await sql`update channel set paused_time = now()`.execute(stack.db);
  const cancelled = batchOf(newBuy(one!, [newAssetNum()]));
  await api.accept(cancelled);
  await api.cancel(cancelled);
  await api.ask('getBatchResult', { query: { channelCode: 'test', channelOrderId: 'unknown' } });
  await api.call('GET', '/licenseOrder/404');
  await api.ask('getEvents');
  await api.ask('listBatches');
  await (await ConsoleClient.logIn(stack, 'viewer')).call('listAllBatches', { query: { order: 'oldest' } });
  await api.ask('listOrders');
  await api.ask('listOrders', { query: { customerId: one!.customerId } });
  await api.ask('listOrders', { query: { assetNum: num } });
  await api.call('GET', `/asset/${num}/history`);
  await api.call('GET', `/asset/${num}`);
  const customer = await idle.newCustomer();
  await idle.accept(batchOf(newBuy(customer, [newAssetNum()])));
  await idle.accept(syncOf(newBuy(customer, [newAssetNum()])));
  await vi.waitUntil(() => sent.some(({ name }) => name?.startsWith('add_deliveries')), 10_000);
  // A query may have several texts, which have numbers in their names.
  const names = new Map(sent.flatMap(({ name, text }) => (name ? [[text, name.replace(/_\d$/, '')]] : [])));
  expect([...names.values()]).toEqual(expect.arrayContaining(HOT));
  const found = await findWhole(empty.db, names);
  await analyzeFirstTerms(empty.db);
  found.push(...(await findWhole(empty.db, names)));
  await fill(stack.db, one!.customerId);
  found.push(...(await findWhole(stack.db, names)));
  const large = await analyze(stack.db);
  expect(large).toEqual(expect.arrayContaining(LARGE));
  found.push(...(await findWhole(stack.db, names)));
  // The state after a backlog: all of its batches are completed.
  await sql`delete from lane_chunk`.execute(stack.db);
  await sql`vacuum analyze lane_chunk`.execute(stack.db);
  found.push(...(await findWhole(stack.db, names)));
  const whole = found.filter(([, tables]) => tables.some((table) => large.includes(table)));
  expect(whole.filter(([name]) => !OF_OPEN.test(name))).toEqual([]);
});
