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
  VirtualAssets,
} from '../assets/assets.ts';
import { MAX_ELEMENTS } from '../json-shape.ts';
import { BindCustomer, CreatedEnterprise, CreateEnterprise, Customer, QueryCustomers } from '../orders/customers.ts';
import { MAX_EXTENDED_ATTRIBUTES, MAX_LIST_ELEMENTS } from '../orders/items.ts';
import { AcceptedOrder, BatchOrder, BatchOrderQuery, MAX_ORDERS_PER_BATCH } from '../orders/orders.ts';
import { PreviewAnswer } from '../orders/preview.ts';
import {
  BatchResult,
  BatchResultQuery,
  CancelBatch,
  CancelledBatch,
  OrderResultParams,
  SingleOrderResult,
} from '../orders/results.ts';
import { MAX_INSTANCES, MAX_INSTANCES_ON_ASSET, MAX_INSTANCES_TOGETHER, MAX_TEXT_BYTES } from '../orders/size.ts';
import { MAX_BATCH_BYTES } from '../words.ts';
import { answers, answersOf, doneAnswers, formatCount, ofModule } from './operation.ts';

/** What O6 and O7 have in common. */
const LOCKING =
  `Takes 1 to ${formatCount(MAX_LOCKS)} numbers. Check the \`status\` of every lock: the code is always 0. Only locks of ` +
  'the license types `normal_recover_usbkey`, `normal_recover_lan_usbkey`, `lk_product_usbkey` and `lk_auth_usbkey` can ' +
  'be disabled. Orders take effect on disabled locks too.';

/** What freezing and unfreezing have in common. */
const FREEZING =
  `Takes 1 to ${formatCount(MAX_LOCKS)} numbers. Check the \`status\` of every certificate: the code is always 0. Only ` +
  'certificates, of the license types `softkey` and `lan_softkey`, can be frozen. A frozen certificate keeps its contents, ' +
  'assignment and loan. M9 does not assign it and M10 does not lend it; both can be ended. Orders take effect on it too.';
const CHANGED = answers(z.array(LockResult).describe('One entry for each number, in the order sent.'));

/** The order module: O1 to O9, and operations that the interface does not have (rules 5, 6 and 7). */
export const orderOperations = ofModule('order', {
  bindCustomer: {
    name: 'O1',
    body: BindCustomer,
    answers: answers(Customer),
    summary: 'Bind a customer',
    description:
      'Creates a customer and binds it to the enterprise with exactly this name. If there is no such ' +
      'enterprise, it creates one with `passwordMobile` as its security mobile number and this customer as ' +
      'its default. `channelCode` and `channelCustomerId` identify the customer. A repeated call must send ' +
      'the security mobile number on file; it ignores the other fields and returns the customer unchanged. ' +
      'If none is on file, only the application that created the enterprise can set it.',
  },
  createEnterprise: {
    name: 'O2',
    body: CreateEnterprise,
    answers: answers(CreatedEnterprise),
    summary: 'Create an enterprise',
    description:
      'Creates an enterprise with the name `customerName`. It gets two customers, in the channels `crm` ' +
      '(its default) and `industry`, both with `crmCustomerId` as their `channelCustomerId`, and two ' +
      'employees: an administrator and a cloud-licensed employee. `crmCustomerId` identifies the ' +
      'enterprise. A repeated call ignores the other fields and returns the enterprise unchanged.',
  },
  queryCustomers: {
    name: 'O3',
    query: QueryCustomers,
    answers: answers(z.array(Customer).describe('The customers.')),
    summary: 'Query customers',
    description:
      'Finds a customer and returns the default customer of its enterprise (`defaultCustomer=Y`) or all its ' +
      'customers (`N`). If the customer does not exist, `data` is empty.',
  },
  updateCustomer: {
    name: 'O4',
    body: CreateEnterprise,
    answers: doneAnswers,
    summary: 'Update a customer',
    description:
      'Changes the name, branch and address of the `crm` customer that O2 created. The enterprise keeps its ' + 'name.',
  },
  createBatchOrder: {
    name: 'O5',
    query: BatchOrderQuery,
    body: BatchOrder,
    maxBodyBytes: MAX_BATCH_BYTES,
    answers: answers(z.array(AcceptedOrder).describe('One entry for each order, in the order of orderList.')),
    summary: 'Submit a batch of orders',
    description:
      'Accepts a batch of orders and returns their final ids. `async` stores the batch durably; its orders ' +
      'take effect later, each on its own. `sync` applies all orders before it answers, or none. The ' +
      'application, `channelCode` and `channelOrderId` identify the batch. Resubmitting the same content ' +
      'returns the same answer and changes nothing. A batch may have up to ' +
      `${formatCount(MAX_ORDERS_PER_BATCH)} orders, ${MAX_BATCH_BYTES / 1024 ** 2} MiB, ` +
      `${formatCount(MAX_LIST_ELEMENTS)} elements in one list and ${formatCount(MAX_ELEMENTS)} in all. ` +
      `For all asset numbers, it may ask for ${formatCount(MAX_INSTANCES)} products and merchandise and store ` +
      `${MAX_TEXT_BYTES / 1024 ** 2} MiB of text. An order may change ${formatCount(MAX_INSTANCES)} products and ` +
      'merchandise (`order_too_large`), the orders of a sync batch or a preview ' +
      `${formatCount(MAX_INSTANCES_TOGETHER)} together. A larger batch is refused with \`batch_too_large\`. An asset ` +
      `holds at most ${formatCount(MAX_INSTANCES_ON_ASSET)} active products and merchandise, as many grants, and ` +
      `${MAX_EXTENDED_ATTRIBUTES} extended attributes (\`asset_full\`).`,
  },
  previewBatchOrder: {
    query: BatchOrderQuery,
    body: BatchOrder,
    maxBodyBytes: MAX_BATCH_BYTES,
    answers: answersOf(PreviewAnswer),
    summary: 'Preview a batch',
    description:
      'Shows what each order of a batch would do if it ran now. Takes the same request as O5, changes ' +
      'nothing, and leaves `channelOrderId` free. Orders are previewed by `sequence`, each after those ' +
      'before it; the entries are in the order of `orderList`. Pending orders and orders accepted later are ' +
      'not considered, so the outcome may differ.',
  },
  cancelBatchOrder: {
    body: CancelBatch,
    answers: answers(CancelledBatch),
    summary: 'Cancel a batch',
    description:
      'Cancels all pending orders of an async batch in one step: they fail with the cause `cancelled`, and the batch ' +
      'is completed. Orders that have an outcome keep it. If an order is being applied, the call waits until it has ' +
      'taken effect or can be cancelled. If nothing is pending, or the batch is sync, `cancelled` is 0.',
  },
  getBatchResult: {
    query: BatchResultQuery,
    answers: answers(BatchResult),
    summary: 'Get the result of a batch',
    description:
      'Returns the totals of a batch and a page of its orders. Only the application that submitted the ' +
      'batch can read it. To follow a batch, call with `waitSeconds=30` until `state` is `completed`; the ' +
      'call answers as soon as it is. `estimatedCompletionTime` says when that should be.',
  },
  getOrderResult: {
    params: OrderResultParams,
    answers: answers(SingleOrderResult),
    summary: 'Get the result of an order',
    description: 'Returns the outcome of one order. Only the application that submitted the order can read it.',
  },
  lockAssets: {
    name: 'O6',
    body: ChangeLocks,
    answers: CHANGED,
    summary: 'Disable locks',
    description: `Disables locks. ${LOCKING}`,
  },
  unlockAssets: {
    name: 'O7',
    body: ChangeLocks,
    answers: CHANGED,
    summary: 'Enable locks',
    description: `Enables locks. ${LOCKING}`,
  },
  freezeAssets: {
    body: ChangeLocks,
    answers: CHANGED,
    summary: 'Freeze certificates',
    description: `Freezes certificates. ${FREEZING}`,
  },
  unfreezeAssets: {
    body: ChangeLocks,
    answers: CHANGED,
    summary: 'Unfreeze certificates',
    description: `Unfreezes certificates. ${FREEZING}`,
  },
  listVirtualAssets: {
    name: 'O8',
    params: ListAssetsParams,
    query: ListAssetsQuery,
    answers: answers(VirtualAssets),
    summary: 'List virtual assets',
    description: "Lists the active `cloud_customer` assets of the enterprise's customers, oldest first.",
  },
  takeAssetNumbers: {
    name: 'O9',
    body: TakeAssetNumbers,
    answers: answers(z.array(AssetNumber).describe('The numbers.')),
    summary: 'Obtain asset numbers',
    description:
      `Returns 1 to ${formatCount(MAX_ASSET_NUMBERS)} asset numbers of ten digits: the region digit, 8 or 6, and ` +
      'nine digits that increment, possibly with gaps. No number is handed out twice or belongs to an active asset.',
  },
});
