import { BatchOrder } from '@lockstep/contract';
import { BatchAcceptor, type Job, JobAnnouncer, QUEUE_NAME } from '@lockstep/orders';
import { createLogger, openProducer } from '@lockstep/platform';
import { prepareBatch } from '../../packages/orders/src/prepare.ts';
import type { Api } from './api.ts';
import { newBuy, productToBuy, type Sent } from './orders.ts';
import type { Stack } from './stack.ts';

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
  const log = createLogger({ name: 'test', level: 'silent' });
  const announcer = new JobAnnouncer(openProducer<Job>(stack.queue, QUEUE_NAME, log), log, stack.metrics);
  const submitted = { ...prepareBatch(id, batch), requestId: 'unchecked' };
  await new BatchAcceptor(stack.db, announcer, stack.metrics).accept(submitted);
  await announcer.close();
}
