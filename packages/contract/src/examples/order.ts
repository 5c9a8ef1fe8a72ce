import type { ChangeLocks } from '../assets/assets.ts';
import type { OrderOperationId } from '../operations/index.ts';
import { exampleBatches, KEPT_LOCK } from './batches.ts';
import { type Examples, type ExamplesOf, HEAD_OFFICE } from './operation.ts';

const { new_buy, delete_asset, delete_product, sync, borrowed_lock, no_match } = exampleBatches;

/** A lock that the batch new_buy buys, and one that is not there. */
const lockBodies: Examples<ChangeLocks> = {
  locks: {
    summary: 'A lock from the batch new_buy, and one that does not exist',
    value: { assetNums: [KEPT_LOCK, '8100000199'], operatorIdentity: 'li.wei@works.example' },
  },
};

/** The order module. */
export const orderExamples: { [Id in OrderOperationId]: ExamplesOf<Id> } = {
  bindCustomer: {
    bodies: {
      depot: {
        summary: 'Another customer of the demo enterprise',
        value: {
          channelCode: HEAD_OFFICE.channelCode,
          channelCustomerId: 'DEMO-DEPOT',
          customerName: 'Demo Works Depot',
          branchName: 'Demo Branch',
          enterpriseName: HEAD_OFFICE.enterpriseName,
          passwordMobile: '13800000001',
        },
      },
    },
    answers: { 200: { depot: 'The customer' }, 299: ['enterprise_mobile_mismatch'] },
  },
  createEnterprise: {
    bodies: {
      bridge_works: {
        summary: 'An enterprise',
        value: {
          crmCustomerId: 'CRM-88050',
          customerName: 'Demo Bridge Works',
          branchName: 'Demo Branch',
          address: '5 Quay Street',
        },
      },
    },
    answers: { 200: { bridge_works: 'The enterprise with its first two employees' }, 299: ['enterprise_name_taken'] },
  },
  queryCustomers: { answers: { 200: { all: 'All customers of the enterprise' }, 299: ['field_invalid'] } },
  updateCustomer: {
    bodies: {
      bridge_works: {
        summary: 'The customer that O2 created',
        value: {
          crmCustomerId: 'CRM-88050',
          customerName: 'Demo Bridge and Tunnel Works',
          branchName: 'Demo Branch',
          address: '7 Quay Street',
        },
      },
    },
    answers: { 200: { bridge_works: 'Success' }, 299: ['customer_not_found'] },
  },
  createBatchOrder: {
    bodies: {
      new_buy: { summary: 'new_buy: two locks, with a product and nested merchandise', value: new_buy },
      delete_asset: { summary: 'delete_asset: one of these locks', value: delete_asset },
      delete_product: { summary: 'delete_product: the product on the other, strict match', value: delete_product },
      sync: { summary: 'sync: a cloud license', value: sync },
      borrowed_lock: { summary: 'borrowed_lock: a borrowed lock for M10', value: borrowed_lock },
    },
    answers: {
      200: {
        new_buy: 'new_buy: accepted, with final ids',
        delete_asset: 'delete_asset: accepted, with final ids',
        delete_product: 'delete_product: accepted, with final ids',
        sync: 'sync: applied',
        borrowed_lock: 'borrowed_lock: applied',
      },
      299: ['channel_order_id_conflict', 'field_invalid'],
    },
  },
  lockAssets: {
    bodies: lockBodies,
    answers: { 200: { locks: 'One lock is disabled' }, 299: ['field_missing'] },
  },
  unlockAssets: {
    bodies: lockBodies,
    answers: { 200: { locks: 'One lock is enabled' }, 299: ['token_invalid'] },
  },
  freezeAssets: {
    bodies: lockBodies,
    answers: { 200: { locks: 'Neither is a certificate' }, 299: ['field_missing'] },
  },
  unfreezeAssets: {
    bodies: lockBodies,
    answers: { 200: { locks: 'Neither is a certificate' }, 299: ['token_invalid'] },
  },
  listVirtualAssets: {
    answers: { 200: { sync: 'The cloud license of the batch sync' }, 299: ['enterprise_not_found'] },
  },
  takeAssetNumbers: {
    bodies: { three: { summary: 'Three numbers', value: { size: 3 } } },
    answers: { 200: { three: 'Three numbers' }, 299: ['field_invalid'] },
  },
  getBatchResult: { answers: { 200: { new_buy: 'The batch new_buy' }, 299: ['batch_not_found'] } },
  getOrderResult: { answers: { 200: { new_buy: 'The order of the batch new_buy' }, 299: ['order_not_found'] } },
  listBatches: { answers: { 200: { new_buy: 'After the batch new_buy' }, 299: ['field_invalid'] } },
  listOrders: { answers: { 200: { new_buy: 'After the batch new_buy' }, 299: ['dates_reversed'] } },
  previewBatchOrder: {
    bodies: {
      new_buy: { summary: 'new_buy: as in O5', value: new_buy },
      no_match: { summary: 'no_match: a strict delete_product without a match', value: no_match },
    },
    answers: {
      200: { new_buy: 'new_buy: it would succeed', no_match: 'no_match: it would fail; with the nearest products' },
      299: ['app_key_mismatch'],
    },
  },
  cancelBatchOrder: {
    bodies: {
      new_buy: {
        summary: 'The batch new_buy',
        value: { channelCode: new_buy.channelCode, channelOrderId: new_buy.channelOrderId },
      },
    },
    answers: {
      200: { new_buy: 'Too late: the order already has an outcome', pending: 'In time: the orders are cancelled' },
      299: ['batch_not_found'],
    },
  },
  getEvents: { answers: { 200: { new_buy: 'Completion of the batch new_buy' }, 299: ['field_invalid'] } },
  getFailedOrders: {
    answers: {
      200: {
        new_buy: 'The batch new_buy has no failed orders',
        no_match: 'The delete_product without a match',
      },
      299: ['batch_not_found', 'content_expired'],
    },
  },
  listAssets: { answers: { 200: { office: 'The assets of the channel' }, 299: ['dates_reversed'] } },
  listCustomers: { answers: { 200: { works: 'The customers of the channel' }, 299: ['field_invalid'] } },
  getAsset: { answers: { 200: { lock: 'An assigned and lent lock of the batch new_buy' }, 299: ['asset_not_found'] } },
  getAssetHistory: {
    answers: {
      200: { lock: 'A lock that was bought, lost a product, and was disabled and enabled' },
      299: ['field_invalid'],
    },
  },
  listRefusals: { answers: { 200: { lock: 'A call without a required field' }, 299: ['field_invalid'] } },
  createWebhook: {
    bodies: {
      hook: {
        summary: 'An endpoint',
        value: { url: 'https://hooks.works.example/lockstep', description: 'Night shift' },
      },
    },
    answers: { 200: { hook: 'The webhook with its secret' }, 299: ['webhook_address_forbidden'] },
  },
  updateWebhook: {
    bodies: {
      filters: {
        summary: 'Only the ends of batches of one channel',
        value: { types: ['batch.completed'], channelCodes: [exampleBatches.new_buy.channelCode] },
      },
    },
    answers: { 200: { filters: 'The webhook' }, 299: ['field_invalid'] },
  },
  pauseWebhook: { answers: { 200: { paused: 'The paused webhook' }, 299: ['webhook_not_found'] } },
  resumeWebhook: { answers: { 200: { active: 'The active webhook' }, 299: ['webhook_not_found'] } },
  resendDelivery: { answers: { 200: { pending: 'The message is pending again' }, 299: ['webhook_not_found'] } },
  listWebhooks: { answers: { 200: { one: 'One webhook' }, 299: ['token_invalid'] } },
  getWebhook: { answers: { 200: { active: 'An active webhook' }, 299: ['webhook_not_found'] } },
  rotateWebhookSecret: { answers: { 200: { rotated: 'The new secret' }, 299: ['webhook_not_found'] } },
  enableWebhook: { answers: { 200: { active: 'The active webhook' }, 299: ['webhook_not_found'] } },
  testWebhook: { answers: { 200: { pending: 'The message is pending' }, 299: ['webhook_not_found'] } },
  listDeliveries: { answers: { 200: { failed: 'A failed test message' }, 299: ['field_invalid'] } },
  replayWebhook: {
    bodies: { behind: { summary: 'The events after the last one that you processed', value: { after: '1' } } },
    answers: { 200: { behind: 'The webhook' }, 299: ['field_invalid'] },
  },
  deleteWebhook: { answers: { 200: { deleted: 'Success' }, 299: ['webhook_not_found'] } },
};
