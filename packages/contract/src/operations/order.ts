import { z } from 'zod';
import {
  AssetNumber,
  ChangeLocks,
  ListAssetsParams,
  ListAssetsQuery,
  LockResult,
  MAX_ASSET_NUMBERS,
  MAX_LOCKS,
  TakeAssetNumbers,
  VirtualAsset,
} from '../assets/assets.ts';
import { MAX_BATCH_BYTES } from '../body-limits.ts';
import { MAX_ELEMENTS } from '../json-shape.ts';
import { CancelBatch, CancelledBatch } from '../orders/corrections.ts';
import { BindCustomer, CreatedEnterprise, CreateEnterprise, Customer, QueryCustomers } from '../orders/customers.ts';
import { MAX_EXTENDED_ATTRIBUTES, MAX_LIST_ELEMENTS } from '../orders/items.ts';
import { AcceptedOrder, BatchOrder, BatchOrderQuery, MAX_ORDERS_PER_BATCH } from '../orders/orders.ts';
import { PreviewAnswer } from '../orders/preview.ts';
import { BatchResult, BatchResultQuery, OrderResultParams, SingleOrderResult } from '../orders/results.ts';
import { MAX_INSTANCES, MAX_INSTANCES_ON_ASSET, MAX_TEXT_BYTES } from '../orders/size.ts';
import { routes } from '../routes.ts';
import { answers, answersOf, doneAnswers, formatCount, ofModule } from './operation.ts';

/** What O6 and O7 have in common. */
const LOCKING =
  `1 to ${formatCount(MAX_LOCKS)} numbers a call. ` +
  'Look at every `status`: the code is 0 whatever they are. Locks that can be disabled are those of license type ' +
  '`normal_recover_usbkey`, `normal_recover_lan_usbkey`, `lk_product_usbkey` and `lk_auth_usbkey`. Orders do not ask ' +
  'whether a lock is disabled.';

/** The order module: O1 to O9, and what this service adds (rules 5, 6 and 7). */
export const orderOperations = ofModule('order', {
  bindCustomer: {
    name: 'O1',
    ...routes.bindCustomer,
    body: BindCustomer,
    answers: answers(Customer),
    summary: 'bind a customer',
    description:
      'Creates a customer, known by `channelCode` and `channelCustomerId`, and binds it to the ' +
      'enterprise of exactly this name. Where there is none, it creates that too, with `passwordMobile` ' +
      'as its security mobile and this customer as its default. A repeat must send the security mobile ' +
      'that is on file; its other fields are ignored, and it answers with the customer as it is.',
  },
  createEnterprise: {
    name: 'O2',
    ...routes.createEnterprise,
    body: CreateEnterprise,
    answers: answers(CreatedEnterprise),
    summary: 'create an enterprise',
    description:
      'Creates an enterprise main account named `customerName`, known by `crmCustomerId`. It gets two ' +
      'customers, of the channels `crm` (the default) and `industry`, both with `channelCustomerId` ' +
      'equal to `crmCustomerId`, and two employees: the administrator and the cloud-licensed one. A ' +
      'repeat is known by `crmCustomerId`; its other fields are ignored.',
  },
  queryCustomers: {
    name: 'O3',
    ...routes.queryCustomers,
    query: QueryCustomers,
    answers: answers(z.array(Customer).describe('The customers; empty where none was found.')),
    summary: 'query customers',
    description:
      'Finds a customer by channel, and returns the default customer of its enterprise ' +
      '(`defaultCustomer=Y`) or all (`N`). Where there is no such customer, `data` is empty.',
  },
  updateCustomer: {
    name: 'O4',
    ...routes.updateCustomer,
    body: CreateEnterprise,
    answers: doneAnswers,
    summary: 'update a customer',
    description:
      'Changes name, branch and address of the `crm` customer that O2 created. Without `address` the ' +
      'address stays as it is. The enterprise keeps its name.',
  },
  createBatchOrder: {
    name: 'O5',
    ...routes.createBatchOrder,
    query: BatchOrderQuery,
    body: BatchOrder,
    maxBodyBytes: MAX_BATCH_BYTES,
    answers: answers(z.array(AcceptedOrder).describe('One entry for each order, in the order of orderList.')),
    summary: 'order in batches',
    description:
      `Takes 1 to ${formatCount(MAX_ORDERS_PER_BATCH)} orders and ${MAX_BATCH_BYTES / 1024 ** 2} MiB, at most ` +
      `${formatCount(MAX_LIST_ELEMENTS)} elements in one list and ${formatCount(MAX_ELEMENTS)} in all, and at most ` +
      `${formatCount(MAX_INSTANCES)} instances to create or revoke (numbers times products and merchandise), ` +
      `${formatCount(MAX_INSTANCES_ON_ASSET)} of them on one asset, and ${MAX_TEXT_BYTES / 1024 ** 2} MiB of text to store ` +
      `(texts times numbers). An asset holds at most ` +
      `${formatCount(MAX_INSTANCES_ON_ASSET)} active products and merchandises, and ${MAX_EXTENDED_ATTRIBUTES} extended ` +
      `attributes (\`asset_full\`), and an order creates, revokes or moves at most ${formatCount(MAX_INSTANCES)} (\`order_too_large\`: split it by asset numbers). The orders ` +
      'of a sync call may not touch more together either (`batch_too_large`). The ' +
      'answer lists the id of each order; the ids are final. With `async` it means that the batch is ' +
      'stored and will be carried out, each order alone; with `sync` that all orders have taken ' +
      'effect. A batch is known by application, `channelCode` and `channelOrderId`: the same content ' +
      'again gets the same answer and changes nothing.',
  },
  previewBatchOrder: {
    ...routes.previewBatchOrder,
    query: BatchOrderQuery,
    body: BatchOrder,
    maxBodyBytes: MAX_BATCH_BYTES,
    answers: answersOf(PreviewAnswer),
    summary: 'Preview a batch',
    description:
      'Takes what O5 takes and says what each order would do if the batch ran now. The entries come in ' +
      'the order of `orderList`; what they say is found out by `sequence`, each order seeing what ' +
      'those before it would have done. It changes nothing, waits for nobody, and the `channelOrderId` ' +
      'stays free. It is no promise: what is pending already, or accepted meanwhile, takes effect ' +
      'first and is not looked at.',
  },
  cancelBatchOrder: {
    ...routes.cancelBatchOrder,
    body: CancelBatch,
    answers: answers(CancelledBatch),
    summary: 'Cancel a batch',
    description:
      'Ends every order of an async batch that is still pending, all in one step: they are `failed` ' +
      'with cause `cancelled`, and the batch is `completed`. An order that is just being carried out ' +
      'is waited for: it takes effect or is cancelled, never half of it. What has its outcome keeps ' +
      'it. Again, or for a sync batch, `cancelled` is 0.',
  },
  getBatchResult: {
    ...routes.getBatchResult,
    query: BatchResultQuery,
    answers: answers(BatchResult),
    summary: 'The result of a batch',
    description:
      'Says what became of a batch, to the application that submitted it only: its totals, and a page ' +
      'of its orders. To follow a batch, ask with `waitSeconds=30` until `state` is `completed`; the ' +
      'answer comes as soon as it is. Before, `estimatedCompletionTime` says when it should be, at the present rate.',
  },
  getOrderResult: {
    ...routes.getOrderResult,
    params: OrderResultParams,
    answers: answers(SingleOrderResult),
    summary: 'The result of an order',
    description: 'Says what became of one order, to the application that submitted it only.',
  },
  lockAssets: {
    name: 'O6',
    ...routes.lockAssets,
    body: ChangeLocks,
    answers: answers(z.array(LockResult).describe('One entry for each number, in the order sent.')),
    summary: 'disable locks',
    description: `Disables locks, ${LOCKING}`,
  },
  unlockAssets: {
    name: 'O7',
    ...routes.unlockAssets,
    body: ChangeLocks,
    answers: answers(z.array(LockResult).describe('One entry for each number, in the order sent.')),
    summary: 'enable locks',
    description: `Enables locks, ${LOCKING}`,
  },
  listVirtualAssets: {
    name: 'O8',
    ...routes.listVirtualAssets,
    params: ListAssetsParams,
    query: ListAssetsQuery,
    answers: answers(z.array(VirtualAsset).describe('The assets, oldest first.')),
    summary: 'list virtual assets',
    description:
      "Lists the active assets of the enterprise's customers with license type `cloud_customer`, " +
      'oldest first; with `extendCode` only those that carry this extended attribute.',
  },
  takeAssetNumbers: {
    name: 'O9',
    ...routes.takeAssetNumbers,
    body: TakeAssetNumbers,
    answers: answers(z.array(AssetNumber).describe('The numbers.')),
    summary: 'obtain asset numbers',
    description:
      `Hands out 1 to ${formatCount(MAX_ASSET_NUMBERS)} asset numbers of ten digits: the mark of the region, 8 or 6, and nine ` +
      "digits that increment. No number is handed out twice, and none that is an active asset's. There may be gaps.",
  },
});
