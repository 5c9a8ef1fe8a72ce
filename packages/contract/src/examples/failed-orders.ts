import { success } from '../envelope.ts';
import type { FailedOrders } from '../failed-orders.ts';
import { exampleBatches } from './batches.ts';
import { type ExamplesOf, refused, type Written } from './operation.ts';

const { new_buy: SUCCEEDED, no_match: FAILED } = exampleBatches;

/** As it is given back: with what it did not say left out. */
const orderList = FAILED.orderList as Written<FailedOrders['orderList']>;

export const getFailedOrders: ExamplesOf<'getFailedOrders'> = {
  answers: {
    200: {
      new_buy: {
        summary: 'Of the batch new_buy of O5 none has failed',
        value: success({ channelCode: SUCCEEDED.channelCode, syncMode: 'async', orderList: [] }),
      },
      no_match: {
        summary: 'The delete_product that matched nothing, to be put right',
        value: success({ channelCode: FAILED.channelCode, syncMode: 'async', orderList }),
      },
    },
    299: {
      ...refused('No such batch', 'batch_not_found', 'DOCS-0404', SUCCEEDED.channelCode),
      ...refused('What they held is not kept any more', 'content_expired', FAILED.channelOrderId, FAILED.channelCode),
    },
  },
};
