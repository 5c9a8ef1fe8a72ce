import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countActivity } from '../../packages/orders/src/count-activity.ts';
import { namedTexts } from '../../packages/platform/src/statement-head.ts';
import { newCustomersInLanes } from '../harness/lanes.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../harness/orders.ts';
import { type Stack, startStack } from '../harness/stack.ts';
import { syncOf } from '../harness/sync-batches.ts';

/**
 * The plans that PostgreSQL may keep of named statements. It makes one for any values, perhaps while all tables are empty
 * as here, and keeps it while they grow. So none may read more of an index than the rows that it is about.
 */
const PLANS = {
  judge_attempts: ['access_token_pkey: token_hash', 'application_pkey: id'],
  read_result_pages: [
    'batch_key_pkey: application_id, channel_code, channel_order_id',
    'batch_pkey: id',
    'lane_chunk_pkey: batch_id',
    'license_order_pkey: id',
  ],
  find_ended_batches: ['batch_pkey: id'],
  read_pending: ['application_pkey: id', 'batch_pkey: id', 'lane_chunk_pending: lane, batch_id'],
  read_customers: ['customer_pkey: id'],
  read_purchases: ['archived_order_pkey: id', 'license_order_pkey: id'],
  lock_assets: ['asset_active_number: asset_num'],
  finish_chunks: ['batch_pkey: id', 'lane_chunk_pkey: batch_id, lane'],
  end_batches: ['batch_open: id', 'batch_pkey: id', 'lane_chunk_pkey: batch_id', 'license_order_failed: id'],
  number_events: ['event_counter: whole table', 'unnumbered_event_pkey: all of it', 'unnumbered_event_pkey: id'],
  count_activity: ['uncounted_activity_pkey: all of it', 'uncounted_activity_pkey: id'],
  read_grants: ['asset_grant_pkey: asset_id'],
  read_merchandises: ['merchandise_instance_asset: asset_id'],
  read_products: ['product_instance_asset: asset_id'],
  revoke_product_instance: ['product_instance_pkey: id'],
  revoke_grants: ['asset_grant_pkey: asset_id, license_order_id'],
  end_lendings: ['asset_lending_lock: lock_asset_id', 'asset_lending_pkey: asset_id'],
  end_assignments: ['asset_assignment_pkey: asset_id'],
  revoke_asset: ['asset_pkey: id'],
  hold_product_instance: ['product_instance_pkey: id'],
  update_assets: ['asset_pkey: id'],
  find_earlier: [
    'archived_batch_pkey: id',
    'batch_key_pkey: application_id, channel_code, channel_order_id',
    'batch_pkey: id',
  ],
  find_newest_by_lane: ['lane_chunk_pending: lane'],
  find_archived_batch: [
    'archived_batch_pkey: id',
    'batch_key_pkey: application_id, channel_code, channel_order_id',
    'period_archive_pkey: number',
  ],
  find_archived_order: ['archived_batch_pkey: id', 'period_archive_pkey: number'],
  read_order_result: ['batch_pkey: id', 'license_order_pkey: id'],
  read_listed_orders: ['batch_pkey: id', 'license_order_pkey: id'],
  read_events: ['batch_pkey: id', 'event_pkey: application_id'],
};

let stack: Stack;
let empty: Stack;

beforeAll(async () => {
  stack = await startStack();
  empty = await startStack({ worker: false });
});
afterAll(async () => {
  await stack.close();
  await empty.close();
});

interface Node {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Plans?: Node[];
}

/**
 * The look-ups of a plan that read tables: by which index, with the columns of its condition. An index of a partition has the
 * name of its table's: those of all partitions are read in the same way, and only where a row may be.
 */
function listLookUps(node: Node): string[] {
  const { 'Node Type': type, 'Relation Name': table, 'Index Name': index, 'Index Cond': condition } = node;
  const below = (node.Plans ?? []).flatMap(listLookUps);
  if (index !== undefined) {
    const columns = [...(condition ?? 'nothing').matchAll(/\(?\(+"?(?:\w+\.)?([a-z_]+) (?:=|>=|<=|<|>|@>)/g)];
    return [
      `${index.replace(/_p\d{4}/, '')}: ${[...new Set(columns.map(([, column]) => column))].join(', ') || 'all of it'}`,
      ...below,
    ];
  }
  return type === 'Seq Scan' ? [`${table}: whole table`, ...below] : below;
}

it('look up by keys', async () => {
  const api = await stack.newApi();
  const [one, other] = await newCustomersInLanes(api, 2);
  const [num, gone] = [newAssetNum(), newAssetNum()];
  await api.process(batchOf(newBuy(one!, [num]), newBuy(one!, [gone])));
  await api.process(batchOf(deleteAsset(one!, [gone]), deleteAsset(other!, [newAssetNum()])));
  await api.process(batchOf(newBuy(other!, [num], {}, { transferedAssetNum: true })));
  await api.accept(syncOf(newBuy(one!, [newAssetNum()])));
  await countActivity(stack.db);
  const unknown = { channelCode: 'test', channelOrderId: 'unknown' };
  await api.ask('getBatchResult', { query: unknown });
  await api.call('GET', '/licenseOrder/404');
  await api.ask('getEvents');
  await api.ask('listOrders', { query: { customerId: one!.customerId } });
  await api.call('GET', `/asset/${num}/history`);
  const found: Record<string, string[]> = {};
  const connection = await empty.db.startTransaction().execute();
  await sql`select set_config('enable_seqscan', 'off', true), set_config('lockstep.lanes', '1,2', true)`.execute(
    connection,
  );
  for (const [text, name] of namedTexts().filter(([, name]) => !name.startsWith('test_'))) {
    const { rows } = await sql
      .raw<{ 'QUERY PLAN': [{ Plan: Node }] }>(`explain (generic_plan, format json) ${text}`)
      .execute(connection);
    const lookUps = [...new Set(listLookUps(rows[0]!['QUERY PLAN'][0].Plan))].sort();
    if (lookUps.length > 0) found[name] = lookUps;
  }
  await connection.rollback().execute();
  // Other tests of this process may have sent other statements.
  const [known, others] = [true, false].map((isKnown) =>
    Object.entries(found).filter(([name]) => name in PLANS === isKnown),
  ) as [[string, string[]][], [string, string[]][]];
  expect(Object.fromEntries(known)).toEqual(PLANS);
  // Lists have several texts. None may look for a batch among all of an application.
  expect(
    others.filter(
      ([name, lookUps]) =>
        /^(find_finished|choose_open)/.test(name) && lookUps.some((lookUp) => lookUp.startsWith('batch_channel')),
    ),
  ).toEqual([]);
  expect(others.filter(([, lookUps]) => lookUps.some((lookUp) => /all of it|whole table/.test(lookUp)))).toEqual([]);
});
