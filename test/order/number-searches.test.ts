import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Api, dataOf, refusalOf } from '../harness/api.ts';
import { newAssetNum, newBuy } from '../harness/orders.ts';
import { type Stack, startStack } from '../harness/stack.ts';

/** Searches by asset number may take seconds: they take turns, so that those of one application stop no other's calls. */
const AT_ONCE = 2;
const MAX_WAITING = 100;

let stack: Stack;
let api: Api;
let assetNum: string;

beforeAll(async () => {
  stack = await startStack();
  api = await stack.newApi();
  assetNum = newAssetNum();
  await api.carryOut(newBuy(await api.newCustomer(), [assetNum]));
});
afterAll(() => stack.close());

async function countStatementsThatWait(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(stack.db);
  return rows[0]!.count;
}

it.each<[what: string, search: () => ReturnType<Api['call']>]>([
  ['orders of a number', () => api.ask('listOrders', { query: { assetNum } })],
  ['histories', () => api.call('GET', `/asset/${assetNum}/history`)],
])('%s are looked up two at a time; too many are refused, and calls of others are answered', async (_what, search) => {
  const other = await stack.newApi();
  const refused: string[] = [];
  const { promise: someRefused, resolve } = Promise.withResolvers<void>();
  let searches: Promise<void>[] = [];
  await stack.db.transaction().execute(async (trx) => {
    // Searches that have begun take as long as this lock is held.
    await sql`lock table asset in access exclusive mode`.execute(trx);
    searches = Array.from({ length: AT_ONCE + MAX_WAITING + 1 }, async () => {
      const { body, ...answer } = await search();
      if ((body as { data: unknown }).data) return;
      refused.push(refusalOf({ body, ...answer }).cause);
      resolve();
    });
    await someRefused;
    expect(await countStatementsThatWait()).toBeLessThanOrEqual(AT_ONCE);
    expect(dataOf(await other.ask('listBatches'))).toEqual({ batches: [], nextCursor: null });
    expect(dataOf(await api.ask('listOrders', { query: { customerId: '1', state: 'failed' } })).orders).toEqual([]);
  });
  await Promise.all(searches);
  expect(new Set(refused)).toEqual(new Set(['overloaded']));
  // Every turn is given back.
  expect(dataOf(await search())).toBeDefined();
});
