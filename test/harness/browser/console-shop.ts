import { createApplication } from '@lockstep/access';
import type { Customer } from '@lockstep/contract';
import { Api, dataOf } from '../api.ts';
import { MemberCenter, newEmployee } from '../members/member-center.ts';
import { type Receiver, startReceiver } from '../network/receiver.ts';
import { batchOf, deleteAsset, deleteProduct, merchandise, newBuy, productToBuy, type Sent } from '../orders/orders.ts';
import { type Stack, untilTestsEnd } from '../stack.ts';

/** Becomes an image that fails to load, and a script, if a page renders a name as HTML. Fits into any name. */
export const MARKUP = '<img src=x onerror=i()>';

/** The data that console tests look at, all created through calls of the service. */
export interface Shop {
  names: Names;
  /** Of the application that sells. */
  api: Api;
  /** Of the enterprise whose employees have assets. */
  center: MemberCenter;
  /** Of the enterprise without an administrator. */
  customer: Customer;
  /** Bought by the second enterprise, transferred to the first, extended, assigned and lent. */
  assetNum: string;
  /** An async batch: most orders succeeded, some failed for different causes. */
  batch: { channelCode: string; channelOrderId: string };
  batchId: string;
  /** In that batch: an order that bought, and one that found no product like the one it names. */
  boughtOrderId: string;
  unmatchedOrderId: string;
  /** Its endpoint accepts messages. */
  webhookId: string;
  /** Its endpoint answered 410 Gone. */
  disabledWebhookId: string;
}

/** Names that callers choose and pages show. */
const NAMES = {
  application: 'Northwind web store',
  enterprise: 'Aurora Engineering',
  secondEnterprise: 'Beacon Design',
  employee: 'Kim Li',
  remark: 'Works on site',
  product: 'Cost Estimator',
  merchandise: 'Office package',
  webhook: 'Warehouse',
  order: 'spring sale',
};
type Names = typeof NAMES;

/**
 * Fills a stack that has a worker and allows private webhooks. `suffix` is appended to each name that callers choose.
 */
export async function openShop(stack: Stack, suffix = ''): Promise<Shop> {
  const names = Object.fromEntries(
    Object.entries(NAMES).map(([key, name]) => [key, suffix === '' ? name : `${name} ${suffix}`]),
  ) as Names;
  const api = await openApplication(stack, names.application);
  // Refused: there is no such batch.
  await api.submitCancel({ channelCode: 'test', channelOrderId: names.order });
  const webhooks = await registerWebhooks(api, names.webhook);
  const center = await MemberCenter.open(stack, api, names.enterprise);
  const customer = await api.newCustomer(names.secondEnterprise);
  const assetNum = newKeyNum();
  await furnishAsset({ api, center, customer, names, assetNum });
  const batch = sellInSpring({ center, names, assetNum });
  const orders = await api.process(batch);
  const orderOf = (cause: string | null) => orders.find((order) => order.cause === cause)!.licenseOrderId;
  await webhooks.settled();
  return {
    names,
    api,
    center,
    customer,
    assetNum,
    batch,
    batchId: await batchIdOf(stack, batch.channelOrderId),
    boughtOrderId: orderOf(null),
    unmatchedOrderId: orderOf('product_not_found'),
    ...webhooks,
  };
}

/** Returns a number in the form of a lock's. */
const newKeyNum = () => `USB-${String(Math.floor(Math.random() * 1e10)).padStart(10, '0')}`;

async function openApplication(stack: Stack, name: string): Promise<Api> {
  const credentials = await createApplication(stack.db, { name, scopes: ['auth_order', 'auth_me'], approved: true });
  return await Api.logIn(stack.baseUrl, credentials);
}

async function registerWebhooks(api: Api, description: string) {
  const taking = await untilTestsEnd(startReceiver());
  const gone = await untilTestsEnd(startReceiver((response) => response.writeHead(410).end()));
  const register = async ({ url }: Receiver): Promise<string> =>
    dataOf(await api.call('POST', '/webhooks', { body: { url, description } })).webhookId;
  return {
    webhookId: await register(taking),
    disabledWebhookId: await register(gone),
    settled: async () => void (await Promise.all([taking.awaitCount(1), gone.awaitCount(1)])),
  };
}

type Furnished = Pick<Shop, 'api' | 'center' | 'customer' | 'names' | 'assetNum'>;

async function furnishAsset({ api, center, customer, names, assetNum }: Furnished): Promise<void> {
  const products = [
    productToBuy({ productName: names.product, limitStartDate: START, limitEndDate: END, limitConcurrent: 2 }),
    productToBuy({ productUri: 'gms-200', productName: 'Site Planner' }),
  ];
  const inner = merchandise({ merchandiseNum: 'M-2', merchandiseName: 'Templates', licenseOrderProductList: [] });
  const packages = [merchandise({ merchandiseName: names.merchandise, children: [inner] })];
  await api.carryOut(newBuy(customer, [assetNum], {}, { products, merchandises: packages }));
  const { customer: buyer } = center;
  await api.carryOut(newBuy(buyer, [assetNum], {}, { transferedAssetNum: true, products: [] }));
  await api.carryOut(newBuy(buyer, [assetNum], {}, { products: [productToBuy({ productUri: 'gms-300' })] }));
  const lockNum = newKeyNum();
  await api.carryOut(newBuy(buyer, [lockNum], {}, { borrowedUsbKey: true }));
  const [employee] = await center.add(newEmployee({ name: names.employee, remark: names.remark }), newEmployee());
  await center.assign(employee!.globalId, assetNum);
  const [asset] = (await center.assets()).filter((one) => one.assetNum === assetNum);
  dataOf(await center.lend(employee!.globalId, lockNum, [asset!.assetId]));
}

const START = Date.UTC(2026, 0, 1);
const END = Date.UTC(2026, 11, 31);

/**
 * Thirty orders that buy, and some that fail: a product that does not match exactly, an unknown asset, an unknown
 * customer.
 */
function sellInSpring({ center, names, assetNum }: Pick<Shop, 'center' | 'names' | 'assetNum'>) {
  const { customer } = center;
  const buys = Array.from({ length: 30 }, () => newBuy(customer, [newKeyNum()]));
  const unmatched = { productUri: 'gms-100', limitConcurrent: 3, limitEndDate: END, strictMatchWhenDelete: true };
  const fails: Sent[] = [
    deleteProduct(customer, [assetNum], unmatched),
    deleteProduct(customer, [assetNum], { productUri: 'gms-999' }),
    ...Array.from({ length: 5 }, () => deleteAsset(customer, [newKeyNum()])),
    newBuy({ ...customer, customerId: '999999' }, [newKeyNum()]),
  ];
  const batch = batchOf(...buys, ...fails);
  return { ...batch, channelCode: 'webstore', channelOrderId: `${names.order} ${batch.channelOrderId.slice(0, 8)}` };
}

async function batchIdOf({ db }: Stack, channelOrderId: string): Promise<string> {
  const query = db.selectFrom('batch').select('id').where('channel_order_id', '=', channelOrderId);
  const { id } = await query.executeTakeFirstOrThrow();
  return String(id);
}
