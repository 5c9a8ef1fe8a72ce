import type { Cause } from '@lockstep/contract';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../harness/api.ts';
import { contentOfTables } from '../../harness/databases/tables.ts';
import {
  BODY_FAULTS,
  expectAllRefused,
  expectRefused,
  type FaultCase,
  faultCases,
  fieldsOf,
  put,
} from '../../harness/orders/faults.ts';
import {
  batchOf,
  deleteAsset,
  deleteProduct,
  feature,
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

const fields = fieldsOf<keyof typeof BODY_FAULTS>;

const BATCH = fields({
  text: 'channelCode channelOrderId',
  choice: 'syncMode',
  filledList: 'orderList',
  element: 'orderList[0]',
});
const ORDER = fields({
  integer: 'sequence',
  id: 'customerId enterpriseGlobalId',
  text: `crmCustomerId customerName channelCustomerId adminName adminAccount adminEmail adminCellNumber passwordMobile
    branchCode branchName`,
  address: 'address',
  choice: 'customerType licenseType orderType',
  optionalId: 'srcLicenseOrderId',
  filledList: 'assets assets[0].assetNos',
  element: 'assets[0]',
  assetNumInList: 'assets[0].assetNos[1]',
});
const ASSET_TO_BUY = fields({
  optionalList: 'assetExtendList products merchandises',
  element: 'assetExtendList[0] products[0] merchandises[0]',
  optionalText: 'assetExtendList[0].extendCode assetExtendList[0].extendValue',
  optionalTime: 'limitStartDate limitEndDate',
  optionalBoolean: 'borrowedUsbKey transferedAssetNum',
});
const FEATURE = fields({
  text: 'featureCode featureName featureValue featureValueType',
  zeroOrOne: 'trial',
  date: 'trialEndDate',
});
const PRODUCT = {
  ...fields({
    text: 'crmProductId productUri productName productType timeUnit timeDurationExpression',
    textOrEmpty: 'parentCrmProductId',
    optionalText: 'gmsPid appKey',
    optionalTime: 'limitStartDate limitEndDate',
    integer: 'limitConcurrent timeUnitQuantity',
    long: 'limitTimeDuration',
    optionalBoolean: 'strictMatchWhenDelete',
    zeroOrOne: 'trial',
    time: 'trialEndDate',
    optionalList: 'passwords',
    secretInList: 'passwords[0]',
    optionalId: 'srcLicenseOrderId',
    list: 'productFeatures',
    element: 'productFeatures[0]',
  }),
  ...below('productFeatures[0]', FEATURE),
};
const MERCHANDISE = fields({
  text: `crmProductId merchandiseNum merchandiseName timeDurationExpression
    licenseOrderProductList[0].productUri`,
  textOrEmpty: 'parentCrmProductId parentMerchandiseNum',
  optionalList: 'children',
  list: 'licenseOrderProductList',
  element: 'licenseOrderProductList[0]',
  integer: 'licenseOrderProductList[0].limitConcurrent',
});
const ASSET_TO_EMPTY = fields({
  optionalTime: 'limitStartDate limitEndDate products[0].limitStartDate products[0].limitEndDate',
  filledList: 'products',
  element: 'products[0]',
  text: 'products[0].crmProductId products[0].productUri',
  integer: 'products[0].limitConcurrent',
  optionalBoolean: 'products[0].strictMatchWhenDelete',
});

const NEW_BUY_FIELDS: Fields = {
  ...BATCH,
  ...below('orderList[0]', ORDER),
  ...below('orderList[0].assets[0]', ASSET_TO_BUY),
  ...below('orderList[0].assets[0].products[0]', PRODUCT),
  ...below('orderList[0].assets[0].merchandises[0]', MERCHANDISE),
  ...below('orderList[0].assets[0].merchandises[0].children[0]', MERCHANDISE),
};
const ORDER_FIELDS = below('orderList[0]', ORDER);
const DELETE_PRODUCT_FIELDS = below('orderList[0].assets[0]', ASSET_TO_EMPTY);

/** One value of each kind of fault, for fields that every order type has; and any that is too long. */
const BRIEF = [undefined, '', [], 5, 'abc', 'a\u0000b', -1, '1'.repeat(20)].map((value) => JSON.stringify(value));

const { stack, api } = await testStack({ worker: false });
const customer = await api.newCustomer();
const second = await api.newCustomer();
const tables = await contentOfTables(stack.db);

const expectNothingStored = async () => expect(await contentOfTables(stack.db)).toEqual(tables);

async function expectRefusedWhole(answer: Answer, cause: Cause, path: string): Promise<void> {
  expectRefused(answer, cause, path);
  await expectNothingStored();
}

const newBuyBatch = () => {
  const element = {
    assetExtendList: [{ extendCode: 'gxxp', extendValue: '1' }],
    products: [productToBuy({ passwords: ['secret'], productFeatures: [feature()] })],
    merchandises: [merchandise({ children: [merchandise({ children: null })] })],
  };
  return batchOf(newBuy(customer, [newAssetNum(), newAssetNum()], {}, element));
};
const deleteAssetBatch = () => batchOf(deleteAsset(customer, [newAssetNum(), newAssetNum()]));
const deleteProductBatch = () => batchOf(deleteProduct(customer, [newAssetNum(), newAssetNum()]));

describe('O5 refuses a field', () => {
  async function expectRefusedIn(batch: () => Sent, faults: FaultCase[]): Promise<void> {
    await expectAllRefused(faults, ({ path, value }) => api.submit(put(batch(), path, value)));
    await expectNothingStored();
  }

  const brief = (path: string, kind: keyof typeof BODY_FAULTS) =>
    faultCases({ [path]: kind }, BODY_FAULTS).filter(
      ({ fault, value }) => BRIEF.includes(JSON.stringify(value)) || fault.endsWith('characters like 😀'),
    );

  it.each(Object.entries(NEW_BUY_FIELDS))('%s with every fault of its kind (%s), in new_buy', async (path, kind) => {
    await expectRefusedIn(newBuyBatch, faultCases({ [path]: kind }, BODY_FAULTS));
  });
  it.each(Object.entries(ORDER_FIELDS))('%s, in delete_asset and delete_product', async (path, kind) => {
    await expectRefusedIn(deleteAssetBatch, brief(path, kind));
    await expectRefusedIn(deleteProductBatch, brief(path, kind));
  });
  it.each(Object.entries(DELETE_PRODUCT_FIELDS))('%s with every fault (%s), in delete_product', async (path, kind) => {
    await expectRefusedIn(deleteProductBatch, faultCases({ [path]: kind }, BODY_FAULTS));
  });

  it('beyond the range of a number', async () => {
    const rawBody = JSON.stringify(newBuyBatch()).replace('"limitTimeDuration":0', '"limitTimeDuration":1e999');
    const path = 'orderList[0].assets[0].products[0].limitTimeDuration';
    await expectRefusedWhole(await api.submit(undefined, { rawBody }), 'field_invalid', path);
  });
});

describe('O5 refuses', () => {
  /** A rule, the orders that break it, and the path of the fault below orderList. */
  type Case = [rule: string, orders: Sent[], path: string];

  const [early, late] = [1_700_000_000_000, 1_800_000_000_000];
  const reversed = { limitStartDate: late, limitEndDate: early };
  const buy = (element: Sent) => [newBuy(customer, [newAssetNum()], {}, element)];
  const nested = (depth: number): Sent => merchandise(depth === 1 ? {} : { children: [nested(depth - 1)] });
  const dated = { assetNos: ['81'], products: [productToRevoke()], ...reversed };
  const empty: Sent[] = [
    { products: undefined },
    { products: null, merchandises: null },
    { products: [], merchandises: [] },
    ...[false, null, ''].map((transferedAssetNum) => ({ products: [], transferedAssetNum })),
  ];
  const cloud = ['cloud_account', 'cloud_customer', 'cloud_personal'].flatMap((licenseType) =>
    [undefined, null, '', '  '].map((srcLicenseOrderId) => ({ licenseType, srcLicenseOrderId })),
  );

  const CASES: Partial<Record<Cause, Case[]>> = {
    sequence_repeated: [
      ['of two orders', ['1', '2'].map((num) => newBuy(customer, [num], { sequence: 7 })), '[1].sequence'],
    ],
    asset_number_repeated: [
      ['in an element', [newBuy(customer, ['81', '82', '81'])], '[0].assets[0].assetNos[2]'],
      ['after trimming', [deleteAsset(customer, ['81', ' 81 '])], '[0].assets[0].assetNos[1]'],
      ['in a delete_product', [deleteProduct(customer, ['81', '81'])], '[0].assets[0].assetNos[1]'],
    ],
    asset_without_items: empty.map((element) => [
      `of ${JSON.stringify(element)}`,
      buy(element),
      '[0].assets[0].products',
    ]),
    asset_number_shared: [
      [
        'after trimming, for any orders',
        [
          deleteAsset(second, ['80']),
          newBuy(customer, ['81'], {}, { transferedAssetNum: true }),
          deleteProduct(second, [' 81 ']),
        ],
        '[2].assets[0].assetNos[0]',
      ],
    ],
    dates_reversed: [
      ['of an asset', buy(reversed), '[0].assets[0].limitStartDate'],
      [
        'of a product',
        buy({ products: [productToBuy(), productToBuy(reversed)] }),
        '[0].assets[0].products[1].limitStartDate',
      ],
      [
        'of a product in a merchandise',
        buy({ merchandises: [merchandise({ licenseOrderProductList: [productToBuy(reversed)] })] }),
        '[0].assets[0].merchandises[0].licenseOrderProductList[0].limitStartDate',
      ],
      [
        'of a product to revoke',
        [deleteProduct(customer, ['81'], reversed)],
        '[0].assets[0].products[0].limitStartDate',
      ],
      [
        'of an asset in a delete_product',
        [deleteProduct(customer, [], {}, { assets: [dated] })],
        '[0].assets[0].limitStartDate',
      ],
    ],
    merchandise_too_deep: [
      ['17 levels', buy({ merchandises: [nested(17)] }), `[0].assets[0].merchandises[0]${'.children[0]'.repeat(16)}`],
    ],
    src_license_order_required: cloud.flatMap((changes): Case[] => [
      [`delete_asset ${JSON.stringify(changes)}`, [deleteAsset(customer, ['1'], changes)], '[0].srcLicenseOrderId'],
      [
        `delete_product ${JSON.stringify(changes)}`,
        [deleteProduct(customer, ['1'], {}, changes)],
        '[0].srcLicenseOrderId',
      ],
    ]),
  };
  const cases = Object.entries(CASES).flatMap(([cause, ofCause]) =>
    ofCause.map(([rule, orders, path]) => ({ cause: cause as Cause, rule, orders, path })),
  );

  it.each(cases)('$cause: $rule', async ({ orders, cause, path }) => {
    await expectRefusedWhole(await api.submit(batchOf(...orders)), cause, `orderList${path}`);
  });

  it('merchandise nested 100,000 deep, without a fault of the service', async () => {
    const deep = `${'{"children":['.repeat(100_000)}${']}'.repeat(100_000)}`;
    const batch = batchOf(newBuy(customer, ['81'], {}, { merchandises: ['here'] }));
    const answer = await api.submit(undefined, { rawBody: JSON.stringify(batch).replace('"here"', deep) });
    const path = `orderList[0].assets[0].merchandises[0]${'.children[0]'.repeat(16)}`;
    await expectRefusedWhole(answer, 'merchandise_too_deep', path);
  });

  it('5,001 orders', async () => {
    const orders = Array.from({ length: 5_001 }, () => deleteAsset(customer, [newAssetNum()]));
    await expectRefusedWhole(await api.submit(batchOf(...orders)), 'field_invalid', 'orderList');
  });
});
