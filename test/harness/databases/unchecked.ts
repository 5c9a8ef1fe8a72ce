import { BatchOrder, type LicenseOrderId } from '@lockstep/contract';
import {
  BatchAcceptor,
  ChannelReader,
  CustomerChannels,
  failPendingOrders,
  type Job,
  JobAnnouncer,
  PendingBound,
  prepareBatch,
  QUEUE_NAME,
} from '@lockstep/orders';
import { createLogger, type Database, Deadline, JobQueue } from '@lockstep/platform';
import { vi } from 'vitest';
import type { Api } from '../api.ts';
import { newBuy, productToBuy, type Sent } from '../orders/orders.ts';
import { readResult } from '../orders/sync-batches.ts';
import type { Stack } from '../stack.ts';
import { applicationIdOf } from './tables.ts';

const REFUSED = 'refused';

/** Returns a purchase that PostgreSQL refuses when it is applied, if acceptUnchecked accepts it. */
export function refusedByPostgres(...[customer, assetNos]: Parameters<typeof newBuy>): Sent {
  return newBuy(customer, assetNos, {}, { products: [productToBuy(), productToBuy({ productUri: REFUSED })] });
}

/** Accepts a batch without the check that would refuse it: it has a number too large for PostgreSQL. */
export async function acceptUnchecked(stack: Stack, api: Api, sent: { channelOrderId: string }): Promise<void> {
  const batch = BatchOrder.parse(sent);
  for (const order of batch.orderList) {
    if (order.orderType !== 'new_buy') continue;
    for (const product of order.assets.flatMap(({ products = [] }) => products)) {
      if (product.productUri === REFUSED) product.limitConcurrent = 2 ** 31;
    }
  }
  const id = await applicationIdOf(stack.db, api.credentials);
  const log = createLogger({ name: 'test', level: 'silent', secrets: new Set() });
  const announcer = new JobAnnouncer(new JobQueue<Job>(stack.queue, QUEUE_NAME, log), log, stack.metrics);
  const customerIds = batch.orderList.map(({ customerId }) => customerId);
  const channelIds = await new CustomerChannels().find(stack.db, customerIds, null);
  const submitted = { ...prepareBatch(id, batch, channelIds), requestId: 'unchecked', traceparent: null };
  const bound = new PendingBound(stack.db, new ChannelReader(stack.db), 1_000);
  const options = { db: stack.db, announcer, bound, metrics: stack.metrics, onCompleted: () => {} };
  await new BatchAcceptor(options).accept(submitted, new Deadline(60_000));
  await announcer.close();
}

/** Fails pending orders with internal_error, as an operator can, so that later ones run. */
export function failOrders(db: Database, licenseOrderIds: readonly LicenseOrderId[]) {
  const onNotCompleted = (error: unknown) => {
    throw error;
  };
  return failPendingOrders(db, {
    channels: null,
    licenseOrderIds,
    later: 'keep',
    record: async () => {},
    onNotCompleted,
  });
}

/** Fails held orders with internal_error, as an operator can, so that the orders behind them run. */
async function failHeld({ db }: Stack): Promise<void> {
  const held = await db.selectFrom('order_hold').select('license_order_id').execute();
  const licenseOrderIds = held.map((row) => row.license_order_id);
  if (licenseOrderIds.length === 0) return;
  await failOrders(db, licenseOrderIds);
}

/** Waits until a batch is completed. Orders that PostgreSQL refuses fail with internal_error. */
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
