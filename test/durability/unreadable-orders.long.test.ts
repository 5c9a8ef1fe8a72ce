import type { Customer } from '@lockstep/contract';
import { QUEUE_NAME } from '@lockstep/orders';
import { createLogger, JobQueue } from '@lockstep/platform';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Api, refusalOf } from '../harness/api.ts';
import { pastBatchTriggers } from '../harness/databases/past-triggers.ts';
import { firstLaneOf, newCustomersInLanes, newNeighborInLane } from '../harness/orders/lanes.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { readResult } from '../harness/orders/sync-batches.ts';
import { QUEUE_KINDS, type Stack, testStack } from '../harness/stack.ts';

const WARN = 40;

describe.each(QUEUE_KINDS)('on %s,', (queue) => {
  let stack: Stack;
  let api: Api;

  beforeEach(async () => {
    ({ stack, api } = await testStack({ queue, worker: false }));
  });

  const run = (statements: string) => sql.raw(statements).execute(stack.db);

  it('a resubmitted batch that a newer release digested is neither accepted nor refused for good', async () => {
    const batch = batchOf(newBuy(await api.newCustomer(), [newAssetNum()]));
    await api.accept(batch);
    await pastBatchTriggers(stack.db, (trx) => sql`update batch set digest_version = 2`.execute(trx));
    expect(refusalOf(await api.submit(batch))).toMatchObject({ code: '500', cause: 'service_unavailable' });
    await pastBatchTriggers(stack.db, (trx) => sql`update batch set digest_version = 1`.execute(trx));
    await api.accept(batch);
  });

  it.each([
    [
      'of a newer version',
      'update lane_chunk set payload_version = 2 where lane = $1',
      'update held_order set payload_version = 1',
    ],
    [
      'that are damaged',
      `update lane_chunk set payload = replace(payload, '"customerId"', '"customer"') where lane = $1`,
      `update held_order set content = replace(content, '"customer"', '"customerId"')`,
    ],
  ])('stored orders %s stay pending, with later ones of their customers; others are applied', async (_, harm, mend) => {
    const [customer, other] = (await newCustomersInLanes(api, 2)) as [Customer, Customer];
    const lane = firstLaneOf(customer.customerId);
    const beside = await newNeighborInLane(api, customer);
    const assetNum = newAssetNum();
    const unreadable = batchOf(newBuy(customer, [assetNum]), newBuy(other, [newAssetNum()]));
    await api.accept(unreadable);
    await run(harm.replace('$1', String(lane)));
    const worker = await stack.startWorker();
    const later = batchOf(newBuy(customer, [assetNum], {}, { borrowedUsbKey: true }));
    await api.accept(later);
    expect(await api.process(batchOf(newBuy(beside, [newAssetNum()])))).toMatchObject([{ state: 'succeeded' }]);
    await vi.waitUntil(async () => (await listHeld()).length > 0, { timeout: 60_000 });
    expect(await listHeld()).toEqual([customer.customerId]);
    const warned = stack.logLines.map((line) => JSON.parse(line)).filter(({ level }) => level >= WARN);
    expect(warned).toMatchObject([{ msg: 'unreadable orders held; will retry', lane }]);
    expect(worker.stalledBy()).toBeNull();
    // The other order of its batch is in another lane, which may be drained later.
    await vi.waitUntil(async () => (await readResult(api, unreadable)).pending === 1, { timeout: 60_000 });
    expect(await readResult(api, later)).toMatchObject({ pending: 1 });
    await run(mend);
    expect(await api.completed(unreadable)).toMatchObject({ succeeded: 2 });
    expect((await api.completed(later)).orders).toMatchObject([{ state: 'succeeded', assets: 0 }]);
    expect(await listHeld()).toEqual([]);
  });

  const listHeld = async () =>
    (await stack.db.selectFrom('order_hold').select('customer_id').execute()).map(({ customer_id }) => customer_id);

  it('a job of a newer release loses no order', async () => {
    const worker = await stack.startWorker();
    const producer = new JobQueue<{ type: string }>(
      stack.queue,
      QUEUE_NAME,
      createLogger({ name: 't', level: 'silent', secrets: new Set() }),
    );
    const job = { type: 'drain', version: 4, orders: ['1'] };
    await Promise.all([producer.add(job), producer.add(job)]);
    const batch = batchOf(newBuy(await api.newCustomer(), [newAssetNum()]));
    expect(await api.process(batch)).toMatchObject([{ state: 'succeeded' }]);
    await producer.close();
    expect(worker.stalledBy()).toBeNull();
  });
});
