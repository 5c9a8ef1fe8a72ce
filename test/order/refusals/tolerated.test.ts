import type { OrderResult } from '@lockstep/contract';
import { describe, expect, it } from 'vitest';
import {
  batchOf,
  deleteAsset,
  deleteProduct,
  feature,
  merchandise,
  newAssetNum,
  newBuy,
  productToBuy,
  type Sent,
  SUCCEEDED,
} from '../../harness/orders/orders.ts';
import { testStack } from '../../harness/stack.ts';

/** Unusual but valid input (rules 4 and 6.1). */

const { api } = await testStack();
const customer = await api.newCustomer();

/** Applies the order in a batch of its own and expects it to succeed. */
async function expectDone(order: Sent): Promise<OrderResult> {
  const [result] = await api.process(batchOf(order));
  expect(result).toMatchObject(SUCCEEDED);
  return result!;
}

const buy = (element: Sent, changes: Sent = {}) => newBuy(customer, [newAssetNum()], changes, element);
const buyProduct = (changes: Sent) => buy({ products: [productToBuy(changes)] });
const nested = (depth: number): Sent => merchandise(depth === 1 ? {} : { children: [nested(depth - 1)] });
const orphan = (changes: Sent = {}) =>
  merchandise({ parentMerchandiseNum: null, parentCrmProductId: null, ...changes });
const nulls = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, null]));
const OF_PRODUCT = 'gmsPid appKey limitStartDate limitEndDate strictMatchWhenDelete passwords srcLicenseOrderId';
const OF_ASSET = 'assetExtendList limitStartDate limitEndDate borrowedUsbKey transferedAssetNum merchandises';

describe('a new_buy is accepted with', () => {
  it.each<[what: string, order: Sent]>([
    ['every optional field absent', buy({})],
    [
      'null for every optional field',
      buy({ ...nulls(OF_ASSET), products: [productToBuy(nulls(OF_PRODUCT))] }, { srcLicenseOrderId: null }),
    ],
    [
      'empty text for every optional text',
      buy(
        {
          assetExtendList: [{ extendCode: '', extendValue: '' }, {}, { extendCode: null, extendValue: null }],
          products: [productToBuy({ gmsPid: '', appKey: ' ', srcLicenseOrderId: '' })],
        },
        { srcLicenseOrderId: '' },
      ),
    ],
    [
      'empty text for optional numbers and booleans, which counts as missing',
      buy({ limitStartDate: '', limitEndDate: '', borrowedUsbKey: '', transferedAssetNum: '' }),
    ],
    ['a parentCrmProductId that is null, which counts as empty', buyProduct({ parentCrmProductId: null })],
    [
      'a parentMerchandiseNum and a parentCrmProductId that are null, at the top level and below',
      buy({ products: [], merchandises: [orphan({ children: [orphan()] })] }),
    ],
    ['255 emoji', buyProduct({ productName: '😀'.repeat(255) })],
    ['255 characters and blanks around them', buyProduct({ productName: `  ${'x'.repeat(255)}\n ` })],
    ['an address of several lines', buy({}, { address: '1 Main Street\r\nOld Town\nHamburg\rGermany\n' })],
    ['an address of 512 characters', buy({}, { address: '街'.repeat(512) })],
    ['every script', buy({}, { customerName: 'Ünïcode 広聯達 عربى 👩‍👩‍👧', branchName: "'; drop table asset; --" })],
    ['sequence 0', buy({}, { sequence: 0 })],
    ['the highest sequence', buy({}, { sequence: 2 ** 31 - 1 })],
    ['the highest Integer', buyProduct({ limitConcurrent: 2 ** 31 - 1, timeUnitQuantity: 2 ** 31 - 1 })],
    ['the highest Long', buyProduct({ limitTimeDuration: 2 ** 53 - 1 })],
    ['a start equal to the end', buy({ limitStartDate: 1_800_000_000_005, limitEndDate: 1_800_000_000_005 })],
    ['a start without an end', buyProduct({ limitStartDate: 1_800_000_000_000 })],
    ['time 0', buyProduct({ limitStartDate: 0, trialEndDate: 0 })],
    ['a merchandise without products', buy({ products: undefined, merchandises: [merchandise()] })],
    [
      'a merchandise without products of its own',
      buy({ products: [], merchandises: [merchandise({ licenseOrderProductList: [] })] }),
    ],
    ['merchandise nested 16 deep', buy({ products: null, merchandises: [nested(16)] })],
    [
      'null children at the deepest level',
      buy({ merchandises: [merchandise({ children: [merchandise({ children: null })] })] }),
    ],
    ['passwords with blanks around them', buyProduct({ passwords: [' secret ', '   '] })],
    [
      'the same number in two elements',
      newBuy(customer, [], { assets: Array(2).fill({ assetNos: [newAssetNum()], products: [productToBuy()] }) }),
    ],
    ['a cloud license without srcLicenseOrderId', buy({}, { licenseType: 'cloud_account' })],
  ])('%s', async (_what, order) => {
    await expectDone(order);
  });

  it.each([
    ['milliseconds', 1_893_456_000_000],
    ['0', 0],
    ['a day', '2030-01-01'],
    ['29 February', '2028-02-29'],
    ['UTC', '2030-01-01T00:00:00Z'],
    ['UTC with milliseconds', '2030-01-01T00:00:00.123Z'],
    ['an offset', '2030-01-01T08:00:00+08:00'],
    ['a negative offset and a fraction', '2030-01-01T08:00:00.5-05:00'],
    ['local time', '2030-01-01T00:00:00'],
    ['no seconds', '2030-01-01T00:00Z'],
  ])("a feature's trialEndDate as %s", async (_what, trialEndDate) => {
    await expectDone(buyProduct({ productFeatures: [feature({ trial: 1, trialEndDate })] }));
  });

  it.each(['personal', 'company'])('customerType %s', async (customerType) => {
    await expectDone(buy({}, { customerType }));
  });
});

describe('unknown fields are ignored', () => {
  it('on every level', async () => {
    const unknown = { unknown: { deep: [1, 'two', null, { three: 3 }] } };
    const order = buy(
      {
        ...unknown,
        assetExtendList: [{ extendCode: 'a', extendValue: 'b', ...unknown }],
        products: [productToBuy({ ...unknown, productFeatures: [feature(unknown)] })],
        merchandises: [merchandise(unknown)],
      },
      unknown,
    );
    const batch = { ...batchOf(order), ...unknown };
    expect(await api.process(batch)).toMatchObject([SUCCEEDED]);
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then'])('named %s', async (name) => {
    const batch = batchOf(buy({}));
    const polluting = `{"${name}":{"prototype":{"polluted":1},"polluted":1,"channelCode":5,"limitConcurrent":"x"},`;
    const rawBody = JSON.stringify(batch).replaceAll('{', polluting);
    expect((await api.submit(undefined, { rawBody })).body).toMatchObject({ code: 0 });
    expect((await api.completed(batch)).orders).toMatchObject([SUCCEEDED]);
    expect(({} as Sent).polluted).toBeUndefined();
  });

  it('as deep as a body may nest', async () => {
    const batch = batchOf(buy({}));
    const deep = `${'['.repeat(63)}${']'.repeat(63)}`;
    const rawBody = JSON.stringify(batch).replace('{', `{"unknown":${deep},`);
    expect((await api.submit(undefined, { rawBody })).body).toMatchObject({ code: 0 });
  });
});

describe('each order type needs only its own fields', () => {
  it('delete_asset: fields of other types are ignored', async () => {
    const assetNum = newAssetNum();
    await expectDone(newBuy(customer, [assetNum]));
    const element = { assetNos: [assetNum], products: [{ limitConcurrent: -1 }], limitStartDate: 2, limitEndDate: 1 };
    await expectDone(deleteAsset(customer, [], { assets: [element] }));
  });

  it('delete_product: the six fields of its products, two of them without a value', async () => {
    const assetNum = newAssetNum();
    await expectDone(newBuy(customer, [assetNum]));
    const products = [{ crmProductId: 'crm-1', productUri: 'gms-100', limitConcurrent: 1 }];
    await expectDone(deleteProduct(customer, [], {}, { assets: [{ assetNos: [assetNum], products }] }));
  });
});

it.each<[field: string, cause: string, order: (digits: string) => Sent]>([
  ['customerId', 'customer_not_found', (customerId) => buy({}, { customerId })],
  ['enterpriseGlobalId', 'enterprise_mismatch', (enterpriseGlobalId) => buy({}, { enterpriseGlobalId })],
  ['srcLicenseOrderId', 'source_order_not_found', (srcLicenseOrderId) => buy({}, { srcLicenseOrderId })],
  ['that of a product', 'source_order_not_found', (srcLicenseOrderId) => buyProduct({ srcLicenseOrderId })],
])('digits that are not an existing ID are accepted as %s, and the order fails with %s', async (_, cause, order) => {
  const digits = ['0', '007', '9223372036854775807', '9223372036854775808', '9'.repeat(19)];
  const results = await api.process(batchOf(...digits.map(order)));
  expect(results).toMatchObject(digits.map(() => ({ state: 'failed', cause })));
});
