import { randomUUID } from 'node:crypto';
import { retryFailedOrders } from '@lockstep/orders';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { type Answer, type Api, dataOf, refusalOf } from '../../harness/api.ts';
import { acceptUnchecked, completedByFailing, refusedByPostgres } from '../../harness/databases/unchecked.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../../harness/orders/orders.ts';
import { readResult } from '../../harness/orders/sync-batches.ts';
import { startAnotherApi } from '../../harness/processes/another-api.ts';
import { testStack, untilTestsEnd } from '../../harness/stack.ts';

/** Polls share statements and cached results. A cached result must never be stale. */

const { stack, api } = await testStack({ worker: false });
/** The same caller at another API process of the service. */
const there = await untilTestsEnd(startAnotherApi(stack, api));
const customer = await api.newCustomer();

const ask = (caller: Api, { channelCode, channelOrderId }: Key, query: Record<string, string> = {}, nonce?: string) =>
  caller.ask('getBatchResult', { query: { channelCode, channelOrderId, ...query }, ...(nonce && { nonce }) });
/** Returns an answer's body without its estimate, which changes every second. */
const steady = ({ body }: Answer) => ({ ...body, data: body.data && { ...body.data, estimatedCompletionTime: null } });
type Key = { channelCode: string; channelOrderId: string };

/** Completes the pending orders with a worker. */
async function complete(batch: Key): Promise<void> {
  const worker = await stack.startWorker();
  await completedByFailing(stack, api, batch);
  await worker.close();
}

it('of a reopened batch show that at once, in every process, and its next completion', async () => {
  const batch = batchOf(newBuy(customer, [newAssetNum()]), refusedByPostgres(customer, [newAssetNum()]));
  await acceptUnchecked(stack, api, batch);
  await complete(batch);
  const callers = [api, there.api];
  for (const caller of [...callers, ...callers]) {
    expect(await readResult(caller, batch)).toMatchObject({ state: 'completed', failed: 1 });
    expect((await readResult(caller, batch, { state: 'failed' })).orders).toHaveLength(1);
  }
  const [, refused] = (await readResult(api, batch)).orders;
  expect(await retryFailedOrders(stack.db, [refused!.licenseOrderId])).toMatchObject({ retried: 1 });
  for (const caller of callers) {
    const open = await readResult(caller, batch);
    expect(open).toMatchObject({ state: 'processing', succeeded: 1, failed: 0, pending: 1, completedTime: null });
    expect(open.orders.map(({ state }) => state)).toEqual(['succeeded', 'pending']);
    expect((await readResult(caller, batch, { state: 'failed' })).orders).toEqual([]);
  }
  // The batch completes with the same counts both times.
  await complete(batch);
  const ends = await Promise.all(callers.map((caller) => readResult(caller, batch, { state: 'failed' })));
  const { rows } = await sql<{ finished_time: Date }>`
    select max(finished_time) as finished_time from license_order where cause is not null`.execute(stack.db);
  for (const end of ends) {
    expect(end).toMatchObject({ state: 'completed', succeeded: 1, failed: 1 });
    expect(end.orders).toMatchObject([{ cause: 'internal_error', finishedTime: rows[0]!.finished_time.getTime() }]);
  }
}, 60_000);

it('of another application do not find a cached result, and neither do those not bound to its channel', async () => {
  const batch = batchOf(newBuy(customer, [newAssetNum()]));
  await api.accept(batch);
  await complete(batch);
  expect(await readResult(api, batch)).toMatchObject({ state: 'completed' });
  const other = await stack.newApi();
  const bound = await stack.newApi(['auth_order'], ['elsewhere']);
  const mine = batchOf(newBuy(await other.newCustomer(), [newAssetNum()]));
  const own = { ...mine, channelCode: batch.channelCode, channelOrderId: batch.channelOrderId };
  const answers = await Promise.all([api, other, bound, api, other].map((caller) => ask(caller, batch)));
  const found = answers.map(({ body }) => body.cause ?? body.data.state);
  expect(found.slice(0, 3)).toEqual(['completed', 'batch_not_found', 'channel_not_allowed']);
  expect(found.slice(3)).toEqual(found.slice(0, 2));
  // The other application finds its own batch under the same key once that is accepted.
  await other.accept(own);
  expect(await readResult(other, batch)).toMatchObject({ state: 'accepted', pending: 1 });
  expect(await readResult(api, batch)).toMatchObject({ state: 'completed' });
});

it('that arrive at once each get their own page, cached or not', async () => {
  const batches = [3, 7, 5].map((count) =>
    batchOf(
      ...Array.from({ length: count }, (_, index) =>
        index % 2 === 0 ? newBuy(customer, [newAssetNum()]) : deleteAsset(customer, ['8-never-bought']),
      ),
    ),
  );
  for (const batch of batches.slice(0, 2)) await api.accept(batch);
  await complete(batches[1]!);
  // The last batch stays pending.
  await api.accept(batches[2]!);
  const missing = batchOf();
  const wanted = [...batches, missing].flatMap((batch) =>
    [{}, { limit: '2' }, { limit: '2', cursor: '2' }, { state: 'failed' }, { state: 'pending', limit: '1' }].map(
      (query) => ({ batch, query: query as Record<string, string> }),
    ),
  );
  const alone = [];
  for (const { batch, query } of wanted) alone.push(steady(await ask(there.api, batch, query)));
  expect(alone.filter(({ code }) => code === 0)).toHaveLength(15);
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(
      [...wanted, ...wanted, ...wanted].map(({ batch, query }) => ask(api, batch, query)),
    );
    expect(answers.map(steady)).toEqual([...alone, ...alone, ...alone]);
  }
});

it('find a batch as soon as it is accepted, even after they did not find it', async () => {
  const batch = batchOf(newBuy(customer, [newAssetNum()]));
  const polls = () => Promise.all([api, there.api, api, there.api].map((caller) => ask(caller, batch)));
  for (const answer of await polls()) expect(refusalOf(answer)).toMatchObject({ cause: 'batch_not_found' });
  await api.accept(batch);
  for (const answer of await polls()) expect(dataOf(answer)).toMatchObject({ state: 'accepted' });
});

it('that use a nonce at the same time in two processes are answered once', async () => {
  const batch = batchOf(newBuy(customer, [newAssetNum()]));
  await api.accept(batch);
  const nonces = Array.from({ length: 30 }, () => randomUUID());
  const answers = await Promise.all(
    nonces.flatMap((nonce) => [api, there.api, api].map((caller) => ask(caller, batch, {}, nonce))),
  );
  for (let index = 0; index < answers.length; index += 3) {
    const ofNonce = answers.slice(index, index + 3).map(({ body }) => body.cause ?? body.data.state);
    expect(ofNonce.toSorted()).toEqual(['accepted', 'nonce_replayed', 'nonce_replayed']);
  }
});

it('that wait hold no connection, however many there are', async () => {
  const batches = Array.from({ length: 40 }, () => batchOf(newBuy(customer, [newAssetNum()])));
  await Promise.all(batches.map((batch) => api.accept(batch)));
  const nonces = batches.map(() => randomUUID());
  const waiting = batches.map((batch, index) => ask(api, batch, { waitSeconds: '30' }, nonces[index]!));
  const read = async () => {
    const { rows } = await sql<{ taken: number; busy: number }>`
      select (select count(*)::int from nonce where nonce = any (${nonces})) as taken, (
        select count(*)::int from pg_stat_activity
        where datname = current_database() and application_name = 'lockstep-api' and state <> 'idle'
      ) as busy`.execute(stack.db);
    return rows[0]!;
  };
  await expect.poll(read).toEqual({ taken: 40, busy: 0 });
  expect(await readResult(api, batches[0]!)).toMatchObject({ state: 'accepted' });
  const worker = await stack.startWorker();
  for (const answer of await Promise.all(waiting)) expect(dataOf(answer)).toMatchObject({ state: 'completed' });
  await worker.close();
}, 60_000);
