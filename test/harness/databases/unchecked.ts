import { BatchOrder, type LicenseOrderId } from '@lockstep/contract';
import {
  BatchAcceptor,
  ChannelReader,
  CustomerChannels,
  failPendingOrders,
  type Job,
  JobAnnouncer,
  PendingBound,
  QUEUE_NAME,
} from '@lockstep/orders';
import { prepareBatch } from '@lockstep/orders/prepare';
import { createLogger, type Database, Deadline, openProducer } from '@lockstep/platform';
import { vi } from 'vitest';
import type { Api } from '../api.ts';
import { newBuy, productToBuy, type Sent } from '../orders/orders.ts';
import { readResult } from '../orders/sync-batches.ts';
import type { Stack } from '../stack.ts';

const REFUSED = 'refused';

/** A purchase that PostgreSQL refuses for what is in it, once it is accepted with acceptUnchecked. */
export function refusedByPostgres(...[customer, assetNos]: Parameters<typeof newBuy>): Sent {
  return newBuy(customer, assetNos, {}, { products: [productToBuy(), productToBuy({ productUri: REFUSED })] });
}

/** Accepts a batch as an API would whose check lets through what it should refuse: a number beyond PostgreSQL's. */
export async function acceptUnchecked(stack: Stack, api: Api, sent: { channelOrderId: string }): Promise<void> {
  const batch = BatchOrder.parse(sent);
  for (const order of batch.orderList) {
    if (order.orderType !== 'new_buy') continue;
    for (const product of order.assets.flatMap(({ products = [] }) => products)) {
      if (product.productUri === REFUSED) product.limitConcurrent = 2 ** 31;
    }
  }
  const { id } = await stack.db
    .selectFrom('application')
    .select('id')
    .where('app_key', '=', api.credentials.appKey)
    .executeTakeFirstOrThrow();
  const log = createLogger({ name: 'test', level: 'silent', secrets: new Set() });
  const announcer = new JobAnnouncer(openProducer<Job>(stack.queue, QUEUE_NAME, log), log, stack.metrics);
  const customerIds = batch.orderList.map(({ customerId }) => customerId);
  const channelIds = await new CustomerChannels(stack.db).find(customerIds, null, new Deadline(60_000));
  const submitted = { ...prepareBatch(id, batch, channelIds), requestId: 'unchecked' };
  const bound = new PendingBound(stack.db, new ChannelReader(stack.db), 1_000);
  await new BatchAcceptor(stack.db, announcer, bound, stack.metrics).accept(submitted);
  await announcer.close();
}

/** Ends pending orders with internal_error, as an operator may, and lets later ones run. */
export function failOrders(db: Database, licenseOrderIds: readonly LicenseOrderId[]) {
  const onNotCompleted = (error: unknown) => {
    throw error;
  };
  return failPendingOrders(db, { licenseOrderIds, later: 'keep', record: async () => {}, onNotCompleted });
}

/** Ends what is held with internal_error, as an operator may, and lets what waits behind it run. */
async function failHeld({ db }: Stack): Promise<void> {
  const held = await db.selectFrom('order_hold').select('license_order_id').execute();
  const licenseOrderIds = held.map((row) => row.license_order_id);
  if (licenseOrderIds.length === 0) return;
  await failOrders(db, licenseOrderIds);
}

/** Waits until a batch is completed. Its orders that PostgreSQL refuses end with internal_error. */
export async function completedByFailing(
  stack: Stack,
  api: Api,
  batch: { channelCode: string; channelOrderId: string },
) {
  await vi.waitUntil(
    async () => {
      await failHeld(stack);
      return (await readResult(api, batch)).state === 'completed';
    },
    { timeout: 60_000 },
  );
  return await readResult(api, batch);
}
