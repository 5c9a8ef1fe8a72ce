import { licenseOrderIdOf } from '@lockstep/assets';
import type { BatchId, Customer } from '@lockstep/contract';
import { QUEUE_NAME } from '@lockstep/orders';
import { LANES_OF_CHANNEL } from '@lockstep/orders/testing';
import { createLogger, JobQueue } from '@lockstep/platform';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Api, dataOf, refusalOf } from '../harness/api.ts';
import { pastBatchTriggers } from '../harness/databases/past-triggers.ts';
import { DIGESTS, PAYLOADS, SENT } from '../harness/databases/stored-forms.ts';
import { FIRST_CHANNEL, firstLaneOf, newCustomersInLanes } from '../harness/orders/lanes.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { QUEUE_KINDS, type Stack, testStack } from '../harness/stack.ts';

const WARN = 40;

describe.each(QUEUE_KINDS)('on %s,', (queue) => {
  let stack: Stack;
  let api: Api;

  beforeEach(async () => {
    ({ stack, api } = await testStack({ queue, worker: false }));
  });

  const run = (statements: string) => sql.raw(statements).execute(stack.db);

  /** Stores the batch for the calling application as version 1 did. */
  async function storeAsVersion1(): Promise<void> {
    await run(`
      insert into enterprise (id, name, code) overriding system value values (1, 'E1', 'abc234');
      insert into channel (code) values ('test');
      insert into customer (id, enterprise_id, channel_code, channel_customer_id, name, branch_name, is_default)
        overriding system value values (1, 1, 'test', 'c1', 'C', 'B', true), (2, 1, 'test', 'c2', 'C', 'B', false),
        (3, 1, 'test', 'c3', 'C', 'B', false);
      insert into license_order (id, order_type, customer_id, assets, products) values (8192, 'new_buy', '1', 0, 0);
      insert into batch (id, application_id, channel_code, channel_order_id, sync_mode, digest, sequences, customer_ids,
        order_types, digest_version, request_id)
        select 5, id, 'test', 'O-1', 'async', '\\x${DIGESTS.async}', '{3,1,2}', '{1,2,1}',
          '{new_buy,delete_product,delete_asset}', 1, 'R'
        from application where app_key = '${api.credentials.appKey}';
      select setval('batch_id', 5)`);
    // The batch transfers these.
    const owner = { customerId: '3', channelCustomerId: 'c3', enterpriseGlobalId: '1' } as Customer;
    await api.carryOut(newBuy(owner, ['A1', 'A2'], { licenseType: 'softkey' }));
    for (const [lane, payload] of Object.entries(PAYLOADS)) {
      const count = JSON.parse(payload).length;
      await sql`
        insert into lane_chunk (batch_id, lane, customer_ids, order_count, weight, payload, payload_version)
        values (5, ${LANES_OF_CHANNEL * FIRST_CHANNEL + Number(lane)}, '{1,2}', ${count}, 20, ${payload}, 1)`.execute(
        stack.db,
      );
    }
  }

  it('a batch that version 1 stored is recognized and applied', async () => {
    await storeAsVersion1();
    const ids = [0, 1, 2].map((index) => licenseOrderIdOf('5' as BatchId, index));
    expect((await api.accept(SENT)).map(({ licenseOrderId }) => licenseOrderId)).toEqual(ids);
    const other = { ...SENT, orderList: SENT.orderList.slice(1) };
    expect(refusalOf(await api.submit(other)).cause).toBe('channel_order_id_conflict');
    expect(refusalOf(await api.submit({ ...SENT, syncMode: 'sync' })).cause).toBe('channel_order_id_conflict');
    await stack.startWorker();
    expect((await api.completed(SENT)).orders).toMatchObject([
      { state: 'succeeded', assets: 0, products: 8 },
      { cause: 'asset_not_found' },
      { cause: 'asset_not_found' },
    ]);
    expect((await api.accept(SENT)).map(({ licenseOrderId }) => licenseOrderId)).toEqual(ids);
  });

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
    let beside = await api.newCustomer();
    while (firstLaneOf(beside.customerId) !== lane) beside = await api.newCustomer();
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
    await vi.waitUntil(async () => (await countPending(unreadable)) === 1, { timeout: 60_000 });
    expect(await countPending(later)).toBe(1);
    await run(mend);
    expect(await api.completed(unreadable)).toMatchObject({ succeeded: 2 });
    expect((await api.completed(later)).orders).toMatchObject([{ state: 'succeeded', assets: 0 }]);
    expect(await listHeld()).toEqual([]);
  });

  const listHeld = async () =>
    (await stack.db.selectFrom('order_hold').select('customer_id').execute()).map(({ customer_id }) => customer_id);

  async function countPending({ channelCode, channelOrderId }: { channelCode: string; channelOrderId: string }) {
    const answer = await api.call('GET', '/licenseOrder/batchOrder', { query: { channelCode, channelOrderId } });
    return dataOf(answer).pending;
  }

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
