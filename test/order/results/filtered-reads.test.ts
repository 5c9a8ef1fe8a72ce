import { sql } from 'kysely';
import { afterAll, expect, it, vi } from 'vitest';
import { dataOf } from '../../harness/api.ts';
import { countRows, recordQueries } from '../../harness/databases/explain.ts';
import { testStack } from '../../harness/stack.ts';

/** A page with a filter reads a bounded number of rows, however few orders match (rules 6.4 and 6.7). */
const ORDERS = 5_000;
/** What a page examines, and the few rows beside. */
const MAX_ROWS_OF_PAGE = 1_100;
const MAX_ROWS_OF_LIST = 4_500;

const sent = recordQueries();
afterAll(() => vi.restoreAllMocks());
const { stack, api } = await testStack({ worker: false });
// All orders of one batch fail, or all but the last; of the other only the last fails.
for (const [id, name, fails] of [
  [10, 'failed', `place < ${ORDERS}`],
  [11, 'succeeded', `place = ${ORDERS}`],
]) {
  await sql`
      insert into batch (id, application_id, channel_code, channel_order_id, sync_mode, digest, digest_version, sequences,
        customer_ids, order_types, request_id, completed_time, succeeded, failed)
      select ${id}, application.id, 'test', ${name}, 'async', '', 1, array_agg(place), array_agg('1'::text),
        array_agg('new_buy'::text), 'test', now(), count(*) filter (where not ${sql.raw(String(fails))}),
        count(*) filter (where ${sql.raw(String(fails))})
      from application, generate_series(1, ${ORDERS}::int) as place where app_key = ${api.credentials.appKey}
      group by application.id`.execute(stack.db);
  await sql`
      insert into license_order (id, order_type, customer_id, cause, args, assets, products)
      select ${id}::bigint * 8192 + place - 1, 'new_buy', '1', cause, case when cause is not null then '[]'::jsonb end, 0, 0
      from generate_series(1, ${ORDERS}::int) as place
      cross join lateral (select case when ${sql.raw(String(fails))} then 'asset_not_found' end) as failure (cause)
      order by place`.execute(stack.db);
}
await sql`vacuum analyze license_order, batch`.execute(stack.db);

/** Follows the pages of an operation. Returns all orders, and the most rows that a statement of its kind read. */
async function follow(id: 'getBatchResult' | 'listOrders', query: Record<string, string>, statements: RegExp) {
  const orders: { sequence: number; licenseOrderId: string }[] = [];
  let most = 0;
  let cursor: string | null = '';
  for (let page = 0; cursor !== null && page < 100; page++) {
    const from = sent.length;
    const data: { orders: typeof orders; nextCursor: string | null } = dataOf(
      await api.ask(id, { query: { ...query, cursor } }),
    );
    for (const each of sent.slice(from).filter(({ name = '' }) => statements.test(name))) {
      most = Math.max(most, await countRows(stack.db, each));
    }
    orders.push(...data.orders);
    cursor = data.nextCursor;
  }
  return { orders, most };
}

it.each([
  ['failed', 'pending', []],
  ['failed', 'succeeded', [ORDERS]],
  ['succeeded', 'failed', [ORDERS]],
  ['succeeded', 'pending', []],
])('of a batch whose orders %s: those in state %s', async (channelOrderId, state, expected) => {
  const query = { channelCode: 'test', channelOrderId, state, limit: '1' };
  const { orders, most } = await follow('getBatchResult', query, /^read_result_pages/);
  expect(orders.map(({ sequence }) => sequence)).toEqual(expected);
  expect(most).toBeLessThan(MAX_ROWS_OF_PAGE);
});

it.each([
  [{ state: 'failed', limit: '200' }, ORDERS],
  [{ cause: 'cancelled' }, 0],
  [{ state: 'succeeded', orderType: 'delete_asset' }, 0],
] as const)('of a list of orders with %j', async (query, count) => {
  const { orders, most } = await follow('listOrders', query, /^orders_of_batches/);
  expect(orders).toHaveLength(count);
  expect(new Set(orders.map(({ licenseOrderId }) => licenseOrderId)).size).toBe(count);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThan(MAX_ROWS_OF_LIST);
});
