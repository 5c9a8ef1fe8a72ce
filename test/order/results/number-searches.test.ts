import type { EnterpriseAsset } from '@lockstep/contract';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { type Answer, dataOf } from '../../harness/api.ts';
import { ConsoleClient } from '../../harness/browser/console.ts';
import { countWaiting } from '../../harness/databases/waiting.ts';
import { MemberCenter } from '../../harness/members/member-center.ts';
import { testStack } from '../../harness/stack.ts';

/**
 * A search by asset number can take seconds, and an asset's contents can be ten megabytes. Such calls take turns, so
 * that one application doesn't block the calls of others.
 */
const AT_ONCE = 2;
const MAX_WAITING = 250;

const { stack } = await testStack();
const center = await MemberCenter.open(stack);
const api = center.api;
const operator = await ConsoleClient.logIn(stack, 'viewer');
const [{ assetNum, assetId }] = (await center.buy(1)) as [EnterpriseAsset];

it.each<[what: string, search: () => Promise<Answer>]>([
  ['orders of a number', () => api.ask('listOrders', { query: { assetNum } })],
  ['histories', () => api.call('GET', `/asset/${assetNum}/history`)],
  ['assets', () => api.call('GET', `/asset/${assetNum}`)],
  ['contents in the member center', () => center.ask('readAssetContents', { assetId })],
  ['contents in the console', () => operator.send('getAssetContents', { params: { assetNum } })],
])('%s run two at a time; excess ones are refused, and other applications are answered', async (_what, search) => {
  const other = await stack.newApi();
  const refused: string[] = [];
  const { promise: someRefused, resolve } = Promise.withResolvers<void>();
  let searches: Promise<void>[] = [];
  await stack.db.transaction().execute(async (trx) => {
    // Running searches wait for this lock.
    await sql`lock table asset in access exclusive mode`.execute(trx);
    searches = Array.from({ length: AT_ONCE + MAX_WAITING + 1 }, async () => {
      const { body } = await search();
      if (body.data) return;
      refused.push(body.cause);
      resolve();
    });
    await someRefused;
    expect(await countWaiting(stack.db)).toBeLessThanOrEqual(AT_ONCE);
    expect(dataOf(await other.ask('listBatches'))).toEqual({ batches: [], nextCursor: null });
  });
  await Promise.all(searches);
  // A busy machine may have no time for others, which wait for the lock.
  expect(refused).toContain('overloaded');
  // Every turn was released.
  expect(dataOf(await search())).toBeDefined();
});
