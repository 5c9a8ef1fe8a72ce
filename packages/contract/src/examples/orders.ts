import type { AcceptedOrder } from '../batch-order.ts';
import { buildMessage } from '../causes.ts';
import { success } from '../envelope.ts';
import type { BatchSummary, OrderResult, SingleOrderResult } from '../results.ts';
import { exampleBatches, KEPT_LOCK, REVOKED_LOCK } from './batches.ts';
import { HEAD_OFFICE } from './demo.ts';
import { type ExamplesOf, refused, type Success, TIME, type Written } from './operation.ts';

/** The first order of a fresh service. */
export const LICENSE_ORDER_ID = '8192';

const PURCHASE = exampleBatches.new_buy;

const accepted = (licenseOrderId: string): Written<Success<AcceptedOrder[]>> =>
  success([{ sequence: 1, licenseOrderId, customerId: HEAD_OFFICE.customerId }]);

export const createBatchOrder: ExamplesOf<'createBatchOrder'> = {
  bodies: {
    new_buy: { summary: 'new_buy: two locks, with a product and nested merchandise', value: exampleBatches.new_buy },
    delete_asset: { summary: 'delete_asset: one of these locks', value: exampleBatches.delete_asset },
    delete_product: {
      summary: 'delete_product: the product of the other, strict',
      value: exampleBatches.delete_product,
    },
    sync: { summary: 'sync: a cloud licence, at once', value: exampleBatches.sync },
    borrowed_lock: { summary: 'borrowed_lock: a lock to lend into, for M10', value: exampleBatches.borrowed_lock },
  },
  answers: {
    200: {
      new_buy: { summary: 'new_buy: accepted, with final ids', value: accepted(LICENSE_ORDER_ID) },
      delete_asset: { summary: 'delete_asset: accepted, with final ids', value: accepted('16384') },
      delete_product: { summary: 'delete_product: accepted, with final ids', value: accepted('24576') },
      sync: { summary: 'sync: carried out', value: accepted('32768') },
      borrowed_lock: { summary: 'borrowed_lock: carried out', value: accepted('40960') },
    },
    299: {
      ...refused('The number was used for other content', 'channel_order_id_conflict', PURCHASE.channelOrderId),
      ...refused('A field is wrong', 'field_invalid', 'orderList[0].assets[0].assetNos', 'must not be empty'),
    },
  },
};

const order = { sequence: 1, customerId: HEAD_OFFICE.customerId };

export const previewBatchOrder: ExamplesOf<'previewBatchOrder'> = {
  bodies: {
    new_buy: { summary: 'new_buy: as O5 has it', value: exampleBatches.new_buy },
    no_match: { summary: 'no_match: a strict delete_product of what is not there', value: exampleBatches.no_match },
  },
  answers: {
    200: {
      new_buy: {
        summary: 'new_buy: it would succeed',
        value: success([
          {
            ...order,
            orderType: 'new_buy',
            state: 'succeeded',
            cause: null,
            message: null,
            assets: [
              { assetNum: KEPT_LOCK, action: 'create' },
              { assetNum: REVOKED_LOCK, action: 'create' },
            ],
            products: [KEPT_LOCK, REVOKED_LOCK].flatMap((assetNum) =>
              ['gms-estimator', 'app-office', 'app-modeller'].map((productUri) => ({
                assetNum,
                productUri,
                action: 'create' as const,
                id: null,
              })),
            ),
            nearest: [],
          },
        ]),
      },
      no_match: {
        summary: 'no_match: it would fail; what comes nearest',
        value: success([
          {
            ...order,
            orderType: 'delete_product',
            state: 'failed',
            cause: 'product_not_found',
            message: buildMessage(
              'product_not_found',
              KEPT_LOCK,
              'gms-estimator',
              '; the nearest has limitConcurrent 1',
            ),
            assets: [],
            products: [],
            nearest: [
              { assetNum: KEPT_LOCK, productUri: 'gms-estimator', id: '1000006', differs: ['limitConcurrent'] },
              {
                assetNum: KEPT_LOCK,
                productUri: 'app-office',
                id: '1000007',
                differs: ['productUri', 'limitConcurrent'],
              },
              {
                assetNum: KEPT_LOCK,
                productUri: 'app-modeller',
                id: '1000008',
                differs: ['productUri', 'limitConcurrent'],
              },
            ],
          },
        ]),
      },
    },
    299: refused('The appKey is not that of the token', 'app_key_mismatch'),
  },
};

export const cancelBatchOrder: ExamplesOf<'cancelBatchOrder'> = {
  bodies: {
    new_buy: {
      summary: 'The batch new_buy of O5',
      value: { channelCode: PURCHASE.channelCode, channelOrderId: PURCHASE.channelOrderId },
    },
  },
  answers: {
    200: {
      new_buy: { summary: 'Too late: its order has its outcome', value: success({ cancelled: 0, finished: 1 }) },
      pending: { summary: 'In time', value: success({ cancelled: 1, finished: 0 }) },
    },
    299: refused('No such batch', 'batch_not_found', 'DOCS-0404', PURCHASE.channelCode),
  },
};

const orderResult: Written<OrderResult> = {
  sequence: 1,
  licenseOrderId: LICENSE_ORDER_ID,
  customerId: HEAD_OFFICE.customerId,
  orderType: 'new_buy',
  state: 'succeeded',
  code: null,
  cause: null,
  message: null,
  assets: 2,
  products: 6,
  finishedTime: TIME,
  heldSince: null,
};

const batchSummary: Written<BatchSummary> = {
  channelCode: PURCHASE.channelCode,
  channelOrderId: PURCHASE.channelOrderId,
  syncMode: 'async',
  state: 'completed',
  total: 1,
  succeeded: 1,
  failed: 0,
  pending: 0,
  held: 0,
  acceptedTime: TIME,
  completedTime: TIME,
};

export const getBatchResult: ExamplesOf<'getBatchResult'> = {
  answers: {
    200: {
      new_buy: {
        summary: 'The batch new_buy of O5',
        value: success({ ...batchSummary, orders: [orderResult], nextCursor: null }),
      },
    },
    299: refused('No such batch', 'batch_not_found', 'DOCS-0404', PURCHASE.channelCode),
  },
};

const singleResult = {
  ...orderResult,
  channelCode: PURCHASE.channelCode,
  channelOrderId: PURCHASE.channelOrderId,
} satisfies Written<SingleOrderResult>;

export const getOrderResult: ExamplesOf<'getOrderResult'> = {
  answers: {
    200: {
      new_buy: { summary: 'The order of the batch new_buy of O5', value: success(singleResult) },
    },
    299: refused('No such order', 'order_not_found', '404'),
  },
};

export const listBatches: ExamplesOf<'listBatches'> = {
  answers: {
    200: {
      new_buy: {
        summary: 'After the batch new_buy of O5',
        value: success({ batches: [batchSummary], nextCursor: null }),
      },
    },
    299: refused('The cursor was cut', 'field_invalid', 'cursor', 'is not a cursor of this list'),
  },
};

export const listOrders: ExamplesOf<'listOrders'> = {
  answers: {
    200: {
      new_buy: {
        summary: 'After the batch new_buy of O5',
        value: success({ orders: [{ ...singleResult, acceptedTime: TIME }], nextCursor: null }),
      },
    },
    299: refused('The filters contradict each other', 'dates_reversed', 'acceptedFrom'),
  },
};
