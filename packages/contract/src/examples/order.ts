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
    answers: { depot: 'The customer' },
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
    answers: { bridge_works: 'The enterprise with its first two employees' },
  },
  queryCustomers: { answers: { all: 'All customers of the enterprise' } },
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
    answers: { bridge_works: 'Success' },
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
      new_buy: 'new_buy: accepted, with final ids',
      delete_asset: 'delete_asset: accepted, with final ids',
      delete_product: 'delete_product: accepted, with final ids',
      sync: 'sync: applied',
      borrowed_lock: 'borrowed_lock: applied',
    },
  },
  lockAssets: {
    bodies: lockBodies,
    answers: { locks: 'One lock is disabled' },
  },
  unlockAssets: {
    bodies: lockBodies,
    answers: { locks: 'One lock is enabled' },
  },
  freezeAssets: {
    bodies: lockBodies,
    answers: { locks: 'Neither is a certificate' },
  },
  unfreezeAssets: {
    bodies: lockBodies,
    answers: { locks: 'Neither is a certificate' },
  },
  listVirtualAssets: { answers: { sync: 'The cloud license of the batch sync' } },
  takeAssetNumbers: {
    bodies: { three: { summary: 'Three numbers', value: { size: 3 } } },
    answers: { three: 'Three numbers' },
  },
  getBatchResult: { answers: { new_buy: 'The batch new_buy' } },
  getOrderResult: { answers: { new_buy: 'The order of the batch new_buy' } },
  listBatches: { answers: { new_buy: 'After the batch new_buy' } },
  listOrders: { answers: { new_buy: 'After the batch new_buy' } },
  previewBatchOrder: {
    bodies: {
      new_buy: { summary: 'new_buy: as in O5', value: new_buy },
      no_match: { summary: 'no_match: a strict delete_product without a match', value: no_match },
    },
    answers: { new_buy: 'new_buy: it would succeed', no_match: 'no_match: it would fail; with the nearest products' },
  },
  cancelBatchOrder: {
    bodies: {
      new_buy: {
        summary: 'The batch new_buy',
        value: { channelCode: new_buy.channelCode, channelOrderId: new_buy.channelOrderId },
      },
    },
    answers: { new_buy: 'Too late: the order already has an outcome', pending: 'In time: the orders are cancelled' },
  },
  getEvents: { answers: { new_buy: 'Completion of the batch new_buy' } },
  getFailedOrders: {
    answers: {
      new_buy: 'The batch new_buy has no failed orders',
      no_match: 'The delete_product without a match',
    },
  },
  listAssets: { answers: { office: 'The assets of the channel' } },
  listCustomers: { answers: { works: 'The customers of the channel' } },
  getAsset: { answers: { lock: 'An assigned and lent lock of the batch new_buy' } },
  getAssetHistory: { answers: { lock: 'A lock that was bought, lost a product, and was disabled and enabled' } },
  listRefusals: { answers: { lock: 'A call without a required field' } },
  createWebhook: {
    bodies: {
      hook: {
        summary: 'An endpoint',
        value: { url: 'https://hooks.works.example/lockstep', description: 'Night shift' },
      },
    },
    answers: { hook: 'The webhook with its secret' },
  },
  updateWebhook: {
    bodies: {
      filters: {
        summary: 'Only the ends of batches of one channel',
        value: { types: ['batch.completed'], channelCodes: [exampleBatches.new_buy.channelCode] },
      },
    },
    answers: { filters: 'The webhook' },
  },
  pauseWebhook: { answers: { paused: 'The paused webhook' } },
  resumeWebhook: { answers: { active: 'The active webhook' } },
  resendDelivery: { answers: { pending: 'The message is pending again' } },
  listWebhooks: { answers: { one: 'One webhook' } },
  getWebhook: { answers: { active: 'An active webhook' } },
  rotateWebhookSecret: { answers: { rotated: 'The new secret' } },
  enableWebhook: { answers: { active: 'The active webhook' } },
  testWebhook: { answers: { pending: 'The message is pending' } },
  listDeliveries: { answers: { failed: 'A failed test message' } },
  replayWebhook: {
    bodies: { behind: { summary: 'The events after the last one that you processed', value: { after: '1' } } },
    answers: { behind: 'The webhook' },
  },
  deleteWebhook: { answers: { deleted: 'Success' } },
};
