import type { ChangeLocks } from '../assets/assets.ts';
import type { OrderOperationId } from '../operations/index.ts';
import { exampleBatches, KEPT_LOCK } from './batches.ts';
import { type Examples, type ExamplesOf, HEAD_OFFICE } from './operation.ts';

const { new_buy, delete_asset, delete_product, sync, borrowed_lock, no_match } = exampleBatches;

/** A lock that the batch new_buy buys, and one that is not there. */
const lockBodies: Examples<ChangeLocks> = {
  locks: {
    summary: 'A lock of the batch new_buy of O5, and one that is not there',
    value: { assetNums: [KEPT_LOCK, '8100000199'], operatorIdentity: 'li.wei@works.example' },
  },
};

/** The order module. */
export const orderExamples: { [Id in OrderOperationId]: ExamplesOf<Id> } = {
  bindCustomer: {
    bodies: {
      depot: {
        summary: 'One more customer of the demo enterprise',
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
    answers: {
      200: { depot: 'The customer' },
      299: { enterprise_mobile_mismatch: 'The enterprise has another mobile number' },
    },
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
    answers: {
      200: { bridge_works: 'The enterprise with its first two employees' },
      299: { enterprise_name_taken: 'The name is taken' },
    },
  },
  queryCustomers: {
    answers: {
      200: { all: 'All customers of the enterprise' },
      299: { field_invalid: 'A parameter is wrong' },
    },
  },
  updateCustomer: {
    bodies: {
      bridge_works: {
        summary: 'The customer of the enterprise that O2 made',
        value: {
          crmCustomerId: 'CRM-88050',
          customerName: 'Demo Bridge and Tunnel Works',
          branchName: 'Demo Branch',
          address: '7 Quay Street',
        },
      },
    },
    answers: {
      200: { bridge_works: 'Done' },
      299: { customer_not_found: 'O2 was not called for this CRM customer' },
    },
  },
  createBatchOrder: {
    bodies: {
      new_buy: { summary: 'new_buy: two locks, with a product and nested merchandise', value: new_buy },
      delete_asset: { summary: 'delete_asset: one of these locks', value: delete_asset },
      delete_product: { summary: 'delete_product: the product of the other, strict', value: delete_product },
      sync: { summary: 'sync: a cloud license, at once', value: sync },
      borrowed_lock: { summary: 'borrowed_lock: a lock to lend into, for M10', value: borrowed_lock },
    },
    answers: {
      200: {
        new_buy: 'new_buy: accepted, with final ids',
        delete_asset: 'delete_asset: accepted, with final ids',
        delete_product: 'delete_product: accepted, with final ids',
        sync: 'sync: carried out',
        borrowed_lock: 'borrowed_lock: carried out',
      },
      299: { channel_order_id_conflict: 'The number was used for other content', field_invalid: 'A field is wrong' },
    },
  },
  lockAssets: {
    bodies: lockBodies,
    answers: { 200: { locks: 'One is disabled' }, 299: { field_missing: 'A field is missing' } },
  },
  unlockAssets: {
    bodies: lockBodies,
    answers: { 200: { locks: 'One is enabled' }, 299: { token_invalid: 'The token has expired' } },
  },
  listVirtualAssets: {
    answers: {
      200: { sync: 'The cloud license of the batch sync of O5' },
      299: { enterprise_not_found: 'No such enterprise' },
    },
  },
  takeAssetNumbers: {
    bodies: { three: { summary: 'Three numbers', value: { size: 3 } } },
    answers: { 200: { three: 'Three numbers' }, 299: { field_invalid: 'A field is wrong' } },
  },
  getBatchResult: {
    answers: { 200: { new_buy: 'The batch new_buy of O5' }, 299: { batch_not_found: 'No such batch' } },
  },
  getOrderResult: {
    answers: { 200: { new_buy: 'The order of the batch new_buy of O5' }, 299: { order_not_found: 'No such order' } },
  },
  listBatches: {
    answers: { 200: { new_buy: 'After the batch new_buy of O5' }, 299: { field_invalid: 'The cursor was cut' } },
  },
  listOrders: {
    answers: {
      200: { new_buy: 'After the batch new_buy of O5' },
      299: { dates_reversed: 'The filters contradict each other' },
    },
  },
  previewBatchOrder: {
    bodies: {
      new_buy: { summary: 'new_buy: as O5 has it', value: new_buy },
      no_match: { summary: 'no_match: a strict delete_product of what is not there', value: no_match },
    },
    answers: {
      200: { new_buy: 'new_buy: it would succeed', no_match: 'no_match: it would fail; what comes nearest' },
      299: { app_key_mismatch: 'The appKey is not that of the token' },
    },
  },
  cancelBatchOrder: {
    bodies: {
      new_buy: {
        summary: 'The batch new_buy of O5',
        value: { channelCode: new_buy.channelCode, channelOrderId: new_buy.channelOrderId },
      },
    },
    answers: {
      200: { new_buy: 'Too late: its order has its outcome', pending: 'In time' },
      299: { batch_not_found: 'No such batch' },
    },
  },
  getEvents: {
    answers: { 200: { new_buy: 'The end of the batch new_buy of O5' }, 299: { field_invalid: 'A parameter is wrong' } },
  },
  getFailedOrders: {
    answers: {
      200: {
        new_buy: 'Of the batch new_buy of O5 none has failed',
        no_match: 'The delete_product that matched nothing, to be put right',
      },
      299: { batch_not_found: 'No such batch', content_expired: 'What they held is not kept any more' },
    },
  },
  getAsset: {
    answers: {
      200: { lock: 'A lock of the batch new_buy of O5, which an employee holds and M10 has lent' },
      299: { asset_not_found: 'No such asset' },
    },
  },
  getAssetHistory: {
    answers: {
      200: { lock: 'A lock that was bought, lost a product, was disabled and enabled again' },
      299: { field_invalid: 'A cursor of another list' },
    },
  },
  createWebhook: {
    bodies: {
      hook: {
        summary: 'Where events are to be sent',
        value: { url: 'https://hooks.works.example/lockstep', description: 'Night shift' },
      },
    },
    answers: {
      200: { hook: 'It is registered; keep the secret' },
      299: { webhook_address_forbidden: 'An address of a private network' },
    },
  },
  listWebhooks: { answers: { 200: { one: 'One webhook' }, 299: { token_invalid: 'The token has expired' } } },
  getWebhook: { answers: { 200: { active: 'An active webhook' }, 299: { webhook_not_found: 'No such webhook' } } },
  rotateWebhookSecret: {
    answers: { 200: { rotated: 'The new secret' }, 299: { webhook_not_found: 'No such webhook' } },
  },
  enableWebhook: { answers: { 200: { active: 'It is active' }, 299: { webhook_not_found: 'No such webhook' } } },
  testWebhook: { answers: { 200: { pending: 'It will be sent' }, 299: { webhook_not_found: 'No such webhook' } } },
  listDeliveries: {
    answers: { 200: { failed: 'A test that failed' }, 299: { field_invalid: 'A cursor of another list' } },
  },
  replayWebhook: {
    bodies: { behind: { summary: 'The events behind the last one that was handled', value: { after: '1' } } },
    answers: { 200: { behind: 'They will be sent' }, 299: { field_invalid: 'A field is wrong' } },
  },
  deleteWebhook: { answers: { 200: { deleted: 'It is deleted' }, 299: { webhook_not_found: 'No such webhook' } } },
};
