import type { Cause } from '@lockstep/contract';
import { describe, expect, it } from 'vitest';
import { type Answer, pathIn, refusalOf } from '../../harness/api.ts';
import { contentOfTables } from '../../harness/databases/tables.ts';
import { BODY_FAULTS, type FaultCase, faultCases, put } from '../../harness/orders/faults.ts';
import {
  batchOf,
  deleteAsset,
  deleteProduct,
  merchandise,
  newAssetNum,
  newBuy,
  productToBuy,
  productToRevoke,
  type Sent,
} from '../../harness/orders/orders.ts';
import { testStack } from '../../harness/stack.ts';

/** The fields of an element, by their relative paths. */
type Fields = Record<string, keyof typeof BODY_FAULTS>;

/** Puts the fields below a path. */
function below(path: string, fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, kind]) => [`${path}.${name}`, kind]));
}

const BATCH: Fields = {
  channelCode: 'text',
  channelOrderId: 'text',
  syncMode: 'choice',
  orderList: 'filledList',
  'orderList[0]': 'element',
};
const ORDER: Fields = {
  sequence: 'integer',
  customerId: 'id',
  crmCustomerId: 'text',
  customerName: 'text',
  channelCustomerId: 'text',
  adminName: 'text',
  adminAccount: 'text',
  adminEmail: 'text',
  adminCellNumber: 'text',
  passwordMobile: 'text',
  address: 'address',
  customerType: 'choice',
  branchCode: 'text',
  branchName: 'text',
  enterpriseGlobalId: 'id',
  srcLicenseOrderId: 'optionalId',
  licenseType: 'choice',
  orderType: 'choice',
  assets: 'filledList',
  'assets[0]': 'element',
  'assets[0].assetNos': 'filledList',
  'assets[0].assetNos[1]': 'assetNumInList',
};
const ASSET_TO_BUY: Fields = {
  assetExtendList: 'optionalList',
  'assetExtendList[0]': 'element',
  'assetExtendList[0].extendCode': 'optionalText',
  'assetExtendList[0].extendValue': 'optionalText',
  limitStartDate: 'optionalTime',
  limitEndDate: 'optionalTime',
  borrowedUsbKey: 'optionalBoolean',
  transferedAssetNum: 'optionalBoolean',
  products: 'optionalList',
  merchandises: 'optionalList',
};
const PRODUCT: Fields = {
  crmProductId: 'text',
  parentCrmProductId: 'textOrEmpty',
  productUri: 'text',
  productName: 'text',
  gmsPid: 'optionalText',
  appKey: 'optionalText',
  productType: 'text',
  limitStartDate: 'optionalTime',
  limitEndDate: 'optionalTime',
  limitConcurrent: 'integer',
  limitTimeDuration: 'long',
  strictMatchWhenDelete: 'optionalBoolean',
  trial: 'zeroOrOne',
  trialEndDate: 'time',
  passwords: 'optionalList',
  'passwords[0]': 'secretInList',
  timeUnit: 'text',
  timeUnitQuantity: 'integer',
  timeDurationExpression: 'text',
  srcLicenseOrderId: 'optionalId',
  productFeatures: 'list',
  'productFeatures[0]': 'element',
  'productFeatures[0].featureCode': 'text',
  'productFeatures[0].featureName': 'text',
  'productFeatures[0].featureValue': 'text',
  'productFeatures[0].featureValueType': 'text',
  'productFeatures[0].trial': 'zeroOrOne',
  'productFeatures[0].trialEndDate': 'date',
};
const MERCHANDISE: Fields = {
  crmProductId: 'text',
  parentCrmProductId: 'textOrEmpty',
  merchandiseNum: 'text',
  merchandiseName: 'text',
  parentMerchandiseNum: 'textOrEmpty',
  timeDurationExpression: 'text',
  children: 'optionalList',
  licenseOrderProductList: 'list',
  'licenseOrderProductList[0]': 'element',
  'licenseOrderProductList[0].productUri': 'text',
  'licenseOrderProductList[0].limitConcurrent': 'integer',
};
const ASSET_TO_EMPTY: Fields = {
  limitStartDate: 'optionalTime',
  limitEndDate: 'optionalTime',
  products: 'filledList',
  'products[0]': 'element',
  'products[0].crmProductId': 'text',
  'products[0].productUri': 'text',
  'products[0].limitStartDate': 'optionalTime',
  'products[0].limitEndDate': 'optionalTime',
  'products[0].limitConcurrent': 'integer',
  'products[0].strictMatchWhenDelete': 'optionalBoolean',
};

const NEW_BUY_FIELDS: Fields = {
  ...BATCH,
  ...below('orderList[0]', ORDER),
  ...below('orderList[0].assets[0]', ASSET_TO_BUY),
  ...below('orderList[0].assets[0]', { 'products[0]': 'element', 'merchandises[0]': 'element' }),
  ...below('orderList[0].assets[0].products[0]', PRODUCT),
  ...below('orderList[0].assets[0].merchandises[0]', MERCHANDISE),
  ...below('orderList[0].assets[0].merchandises[0].children[0]', MERCHANDISE),
};
const ORDER_FIELDS = below('orderList[0]', ORDER);
const DELETE_PRODUCT_FIELDS = below('orderList[0].assets[0]', ASSET_TO_EMPTY);

/** One value of each kind of fault, for fields that every order type has; and any that is too long. */
const BRIEF = [undefined, '', [], 5, 'abc', 'a\u0000b', -1, '1'.repeat(20)].map((value) => JSON.stringify(value));

const feature = () => ({
  featureCode: 'F1',
  featureName: 'Feature',
  featureValue: '10',
  featureValueType: 'int',
  trial: 0,
  trialEndDate: '2030-01-01',
});

const { stack, api } = await testStack({ worker: false });
const other = await stack.newApi();
const customer = await api.newCustomer();
const second = await api.newCustomer();
const tables = await contentOfTables(stack.db);

/** Expects a refusal with 13004, the cause and the path, and nothing stored. */
async function expectRefused(answer: Answer, cause: Cause, path: string): Promise<void> {
  const refusal = refusalOf(answer);
  expect(refusal).toMatchObject({ code: '13004', cause });
  expect(pathIn(refusal.message)).toBe(path);
  expect(await contentOfTables(stack.db)).toEqual(tables);
}

const newBuyBatch = () =>
  batchOf(
    newBuy(
      customer,
      [newAssetNum(), newAssetNum()],
      {},
      {
        assetExtendList: [{ extendCode: 'gxxp', extendValue: '1' }],
        products: [productToBuy({ passwords: ['secret'], productFeatures: [feature()] })],
        merchandises: [merchandise({ children: [merchandise({ children: null })] })],
      },
    ),
  );
const deleteAssetBatch = () => batchOf(deleteAsset(customer, [newAssetNum(), newAssetNum()]));
const deleteProductBatch = () => batchOf(deleteProduct(customer, [newAssetNum(), newAssetNum()]));

describe('O5 refuses a field', () => {
  /** Sends each fault in a call of its own, all at once. */
  async function expectAllRefused(batch: () => Sent, faults: FaultCase[]): Promise<void> {
    const outcomes = faults.map(async ({ path, fault, value }) => {
      const { cause, message } = refusalOf(await api.submit(put(batch(), path, value)));
      return { path: pathIn(message), fault, value, cause };
    });
    expect(await Promise.all(outcomes)).toEqual(faults);
    expect(await contentOfTables(stack.db)).toEqual(tables);
  }

  const brief = (path: string, kind: keyof typeof BODY_FAULTS) =>
    faultCases({ [path]: kind }, BODY_FAULTS).filter(
      ({ fault, value }) => BRIEF.includes(JSON.stringify(value)) || fault.endsWith('characters like 😀'),
    );

  it.each(Object.entries(NEW_BUY_FIELDS))('%s with every fault of its kind (%s), in new_buy', async (path, kind) => {
    await expectAllRefused(newBuyBatch, faultCases({ [path]: kind }, BODY_FAULTS));
  });
  it.each(Object.entries(ORDER_FIELDS))('%s, in delete_asset and delete_product', async (path, kind) => {
    await expectAllRefused(deleteAssetBatch, brief(path, kind));
    await expectAllRefused(deleteProductBatch, brief(path, kind));
  });
  it.each(Object.entries(DELETE_PRODUCT_FIELDS))('%s with every fault (%s), in delete_product', async (path, kind) => {
    await expectAllRefused(deleteProductBatch, faultCases({ [path]: kind }, BODY_FAULTS));
  });

  it('beyond the range of a number', async () => {
    const rawBody = JSON.stringify(newBuyBatch()).replace('"limitTimeDuration":0', '"limitTimeDuration":1e999');
    const path = 'orderList[0].assets[0].products[0].limitTimeDuration';
    await expectRefused(await api.submit(undefined, { rawBody }), 'field_invalid', path);
  });

  it('deep in a large call, by its path', async () => {
    const orders = Array.from({ length: 4 }, () => newBuy(customer, [newAssetNum()]));
    const batch = put(batchOf(...orders), 'orderList[3].assets[0].assetNos', undefined);
    await expectRefused(await api.submit(batch), 'field_missing', 'orderList[3].assets[0].assetNos');
  });

  it('and lists the other faults', async () => {
    const batch = {
      ...batchOf(newBuy(customer, [newAssetNum()], { adminName: 5, branchCode: null })),
      channelCode: '',
    };
    const { message, faults } = refusalOf(await api.submit(batch));
    expect(pathIn(message)).toBe('channelCode');
    expect(faults!.map(({ path }) => path)).toEqual([
      'channelCode',
      'orderList[0].adminName',
      'orderList[0].branchCode',
    ]);
  });
});

describe('O5 refuses', () => {
  /** Orders that make the batch invalid, with the cause and the path below orderList. */
  type RuleCase = { rule: string; orders: () => Sent[]; cause: Cause; path: string };

  const [early, late] = [1_700_000_000_000, 1_800_000_000_000];
  const reversed = { limitStartDate: late, limitEndDate: early };
  const buy = (element: Sent) => [newBuy(customer, [newAssetNum()], {}, element)];
  const nested = (depth: number): Sent => merchandise(depth === 1 ? {} : { children: [nested(depth - 1)] });
  const cloud = (orderType: 'delete_asset' | 'delete_product', licenseType: string, srcLicenseOrderId: unknown) => () =>
    orderType === 'delete_asset'
      ? [deleteAsset(customer, ['1'], { licenseType, srcLicenseOrderId })]
      : [deleteProduct(customer, ['1'], {}, { licenseType, srcLicenseOrderId })];

  const CASES: RuleCase[] = [
    {
      rule: 'a repeated sequence',
      orders: () => [newBuy(customer, ['1'], { sequence: 7 }), newBuy(customer, ['2'], { sequence: 7 })],
      cause: 'sequence_repeated',
      path: '[1].sequence',
    },
    {
      rule: 'a repeated asset number in an element',
      orders: () => [newBuy(customer, ['81', '82', '81'])],
      cause: 'asset_number_repeated',
      path: '[0].assets[0].assetNos[2]',
    },
    {
      rule: 'an asset number that is repeated after trimming',
      orders: () => [deleteAsset(customer, ['81', ' 81 '])],
      cause: 'asset_number_repeated',
      path: '[0].assets[0].assetNos[1]',
    },
    {
      rule: 'a repeated asset number in a delete_product',
      orders: () => [deleteProduct(customer, ['81', '81'])],
      cause: 'asset_number_repeated',
      path: '[0].assets[0].assetNos[1]',
    },
    {
      rule: 'a new_buy asset without products and merchandises',
      orders: () => buy({ products: undefined }),
      cause: 'asset_without_items',
      path: '[0].assets[0].products',
    },
    {
      rule: 'a new_buy asset with null for both',
      orders: () => buy({ products: null, merchandises: null }),
      cause: 'asset_without_items',
      path: '[0].assets[0].products',
    },
    {
      rule: 'a new_buy asset with both empty',
      orders: () => buy({ products: [], merchandises: [] }),
      cause: 'asset_without_items',
      path: '[0].assets[0].products',
    },
    ...[false, null, ''].map(
      (transferedAssetNum): RuleCase => ({
        rule: `a new_buy asset without both that has transferedAssetNum ${JSON.stringify(transferedAssetNum)}`,
        orders: () => buy({ products: [], transferedAssetNum }),
        cause: 'asset_without_items',
        path: '[0].assets[0].products',
      }),
    ),
    {
      rule: 'an asset number in orders of two customers',
      orders: () => [newBuy(customer, ['81', '82']), newBuy(second, ['83', '82'])],
      cause: 'asset_number_shared',
      path: '[1].assets[0].assetNos[1]',
    },
    {
      rule: 'an asset number in orders of two customers after trimming, for any orders',
      orders: () => [
        deleteAsset(second, ['80']),
        newBuy(customer, ['81'], {}, { transferedAssetNum: true }),
        deleteProduct(second, [' 81 ']),
      ],
      cause: 'asset_number_shared',
      path: '[2].assets[0].assetNos[0]',
    },
    {
      rule: 'an asset that starts after its end',
      orders: () => buy(reversed),
      cause: 'dates_reversed',
      path: '[0].assets[0].limitStartDate',
    },
    {
      rule: 'a product that starts after its end',
      orders: () => buy({ products: [productToBuy(), productToBuy(reversed)] }),
      cause: 'dates_reversed',
      path: '[0].assets[0].products[1].limitStartDate',
    },
    {
      rule: 'a product in a merchandise that starts after its end',
      orders: () => buy({ merchandises: [merchandise({ licenseOrderProductList: [productToBuy(reversed)] })] }),
      cause: 'dates_reversed',
      path: '[0].assets[0].merchandises[0].licenseOrderProductList[0].limitStartDate',
    },
    {
      rule: 'a product to revoke that starts after its end',
      orders: () => [deleteProduct(customer, ['81'], reversed)],
      cause: 'dates_reversed',
      path: '[0].assets[0].products[0].limitStartDate',
    },
    {
      rule: 'an asset in a delete_product that starts after its end',
      orders: () => [
        deleteProduct(customer, [], {}, { assets: [{ assetNos: ['81'], products: [productToRevoke()], ...reversed }] }),
      ],
      cause: 'dates_reversed',
      path: '[0].assets[0].limitStartDate',
    },
    {
      rule: 'merchandise nested 17 deep',
      orders: () => buy({ merchandises: [nested(17)] }),
      cause: 'merchandise_too_deep',
      path: `[0].assets[0].merchandises[0]${'.children[0]'.repeat(16)}`,
    },
    ...(['delete_asset', 'delete_product'] as const).flatMap((orderType) =>
      ['cloud_account', 'cloud_customer', 'cloud_personal'].flatMap((licenseType) =>
        [undefined, null, '', '  '].map(
          (source): RuleCase => ({
            rule: `a ${orderType} of a ${licenseType} with srcLicenseOrderId ${JSON.stringify(source)}`,
            orders: cloud(orderType, licenseType, source),
            cause: 'src_license_order_required',
            path: '[0].srcLicenseOrderId',
          }),
        ),
      ),
    ),
  ];

  it.each(CASES)('$rule', async ({ orders, cause, path }) => {
    await expectRefused(await api.submit(batchOf(...orders())), cause, `orderList${path}`);
  });

  it('merchandise nested 100,000 deep, without a fault of the service', async () => {
    const deep = `${'{"children":['.repeat(100_000)}${']}'.repeat(100_000)}`;
    const batch = batchOf(newBuy(customer, ['81'], {}, { merchandises: ['here'] }));
    const answer = await api.submit(undefined, { rawBody: JSON.stringify(batch).replace('"here"', deep) });
    const path = `orderList[0].assets[0].merchandises[0]${'.children[0]'.repeat(16)}`;
    await expectRefused(answer, 'merchandise_too_deep', path);
  });

  it('5,001 orders', async () => {
    const orders = Array.from({ length: 5_001 }, () => deleteAsset(customer, [newAssetNum()]));
    await expectRefused(await api.submit(batchOf(...orders)), 'field_invalid', 'orderList');
  });
});

describe('O5 refuses the appKey', () => {
  it('of another application', async () => {
    const answer = await api.submit(newBuyBatch(), { query: { appKey: other.credentials.appKey } });
    await expectRefused(answer, 'app_key_mismatch', 'appKey');
  });

  it('that does not exist', async () => {
    const answer = await api.submit(newBuyBatch(), { query: { appKey: 'app_unknown' } });
    await expectRefused(answer, 'app_key_mismatch', 'appKey');
  });

  it('that is empty', async () => {
    const answer = await api.submit(newBuyBatch(), { query: { appKey: '' } });
    await expectRefused(answer, 'field_missing', 'appKey');
  });

  it('that is missing', async () => {
    const answer = await api.call('POST', '/licenseOrder/batchOrder', { body: newBuyBatch() });
    await expectRefused(answer, 'field_missing', 'appKey');
  });
});
