import { buildMessage } from '@lockstep/contract';
import { describe, expect, it } from 'vitest';
import { dataOf, pathIn, refusalOf } from '../harness/api.ts';
import { ConsoleClient } from '../harness/browser/console.ts';
import { MemberCenter, newEmployee } from '../harness/members/member-center.ts';
import {
  batchOf,
  deleteAsset,
  deleteProduct,
  merchandise,
  newAssetNum,
  newBuy,
  productToBuy,
  type Sent,
} from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/** Slips that would sell a license forever, or an expired one (rules 4). */

const { stack, api } = await testStack();
const center = await MemberCenter.open(stack);
const customer = await api.newCustomer();

const END = 1_798_761_599_000;
/** The end of the year 9999. */
const LAST_TIME = 253_402_300_799_999;
const FEATURE = { featureCode: 'c', featureName: 'n', featureValue: 'v', featureValueType: 't', trial: 1 };
const buy = (element: Sent, changes: Sent = {}) => newBuy(customer, [newAssetNum()], changes, element);
const buyProduct = (changes: Sent) => buy({ products: [productToBuy(changes)] });

/** Expects a refusal that names a field, and the name that was probably meant. */
async function expectRefused(order: Sent, cause: string, path: string, meant = ''): Promise<void> {
  const batch = batchOf(order);
  for (const answer of [await api.submit(batch), await api.submitPreview(batch)]) {
    const refusal = refusalOf(answer);
    expect(refusal).toMatchObject({ code: '13004', cause });
    expect(pathIn(refusal.message)).toBe(path);
    expect(refusal.message).toContain(meant);
  }
  const { channelCode, channelOrderId } = batch;
  const result = await api.ask('getBatchResult', { query: { channelCode, channelOrderId } });
  expect(refusalOf(result).cause).toBe('batch_not_found');
}

describe('a misspelled field of a batch', () => {
  it('is refused, by O5 and by its preview', async () => {
    const path = 'orderList[0].assets[0].products[0].limitEnddate';
    await expectRefused(buyProduct({ limitEnddate: END }), 'field_misspelled', path, 'limitEndDate');
  });

  it('is refused in a large batch too', async () => {
    const orders = Array.from({ length: 600 }, () => buyProduct({}));
    const batch = batchOf(...orders, buyProduct({ limitEnddate: END }));
    expect(JSON.stringify(batch).length).toBeGreaterThan(256 * 1024);
    expect(refusalOf(await api.submit(batch))).toMatchObject({ cause: 'field_misspelled' });
  });
});

describe('unknown fields', () => {
  it('are accepted by O5, and listed by the preview', async () => {
    const order = buy({ assetNum: 'A', limitEndDate2: 5 }, { remark: 'a', more: { limitEnddate: 5 } });
    const batch = { ...batchOf(order), source: 'erp' };
    expect((await api.submitPreview(batch)).body).toMatchObject({
      code: 0,
      ignoredFields: [
        'source',
        'orderList[0].remark',
        'orderList[0].more',
        'orderList[0].assets[0].assetNum',
        'orderList[0].assets[0].limitEndDate2',
      ].toSorted(byPlace(JSON.stringify(batch))),
    });
    expect(await api.process(batch)).toMatchObject([{ state: 'succeeded' }]);
    expect((await api.submitPreview(batchOf(buy({})))).body).toMatchObject({ code: 0, ignoredFields: [] });
  });

  /** Sorts names by their positions in a text. */
  const byPlace = (text: string) => (a: string, b: string) => place(text, a) - place(text, b);
  const place = (text: string, path: string) => text.indexOf(`"${path.split('.').at(-1)!}"`);

  it('are listed up to a limit, in a large batch too', async () => {
    const orders = Array.from({ length: 600 }, () => buyProduct({ color: 'red' }));
    const { body } = await api.submitPreview(batchOf(...orders));
    expect((body as unknown as { ignoredFields: string[] }).ignoredFields).toEqual(
      Array.from({ length: 20 }, (_, index) => `orderList[${index}].assets[0].products[0].color`),
    );
  });
});

describe('the end of a purchase', () => {
  it.each<[what: string, order: Sent, path: string]>([
    ['of a product in seconds', buyProduct({ limitEndDate: END / 1_000 }), 'products[0].limitEndDate'],
    ['of an asset in days', buy({ limitEndDate: 20_818 }), 'limitEndDate'],
    ['of 0', buyProduct({ limitEndDate: 0 }), 'products[0].limitEndDate'],
    [
      'of a product in merchandise, one below the limit',
      buy({
        merchandises: [merchandise({ licenseOrderProductList: [productToBuy({ limitEndDate: 99_999_999_999 })] })],
      }),
      'merchandises[0].licenseOrderProductList[0].limitEndDate',
    ],
    ['of an asset in microseconds', buy({ limitEndDate: END * 1_000 }), 'limitEndDate'],
    ['of a product, one above the limit', buyProduct({ limitEndDate: LAST_TIME + 1 }), 'products[0].limitEndDate'],
    ['of a trial', buyProduct({ trialEndDate: Number.MAX_SAFE_INTEGER }), 'products[0].trialEndDate'],
    [
      'of the trial of a feature',
      buyProduct({ productFeatures: [{ ...FEATURE, trialEndDate: 2 ** 53 }] }),
      'products[0].productFeatures[0].trialEndDate',
    ],
    [
      'of the trial of a feature, in a zone where it is later than the limit',
      buyProduct({ productFeatures: [{ ...FEATURE, trialEndDate: '9999-12-31T23:59:59-01:00' }] }),
      'products[0].productFeatures[0].trialEndDate',
    ],
    [
      'of a product to revoke',
      deleteProduct(customer, ['A'], {}, { assets: [{ assetNos: ['A'], limitStartDate: 1e300, products: [] }] }),
      'limitStartDate',
    ],
  ])('%s is refused', async (_what, order, path) => {
    await expectRefused(order, 'date_not_milliseconds', `orderList[0].assets[0].${path}`);
  });

  it.each(['listBatches', 'listOrders'] as const)('is bounded in the query of %s too', async (operation) => {
    for (const time of [LAST_TIME + 1, Math.floor(Date.now() / 1_000), 99_999_999_999, 0]) {
      const answer = await api.ask(operation, { query: { acceptedTo: String(time) } });
      expect(refusalOf(answer)).toMatchObject({ cause: 'date_not_milliseconds', faults: [{ path: 'acceptedTo' }] });
    }
    expect(await api.ask(operation, { query: { acceptedFrom: '100000000000' } })).toMatchObject({ status: 200 });
  });

  it('is accepted from the limit on, and other dates are not affected', async () => {
    const bought = newAssetNum();
    const terms = { limitStartDate: 5, limitEndDate: 100_000_000_000, trialEndDate: 0 };
    const products = [productToBuy(terms)];
    const orders = [
      newBuy(customer, [bought], {}, { limitStartDate: 0, limitEndDate: LAST_TIME, products }),
      deleteProduct(customer, [bought], { limitEndDate: 9, strictMatchWhenDelete: false }),
    ];
    expect(await api.process(batchOf(...orders))).toMatchObject([{ state: 'succeeded' }, { state: 'succeeded' }]);
  });
});

describe('an asset number', () => {
  it('is trimmed like all text', async () => {
    const assetNum = newAssetNum();
    await api.carryOut(newBuy(customer, [`\t\u2028 ${assetNum}\u00a0\r\n`]));
    expect((await api.call('GET', `/asset/${assetNum}`)).body).toMatchObject({ data: { assetNum } });
  });
});

describe('texts that look the same', () => {
  it('are equal wherever they name something', async () => {
    const names = { channelCode: `Zoë ${newAssetNum()}`, channelOrderId: `Bücher-${newAssetNum()}` };
    const assetNum = `한 ${newAssetNum()}`;
    const texts = (form: string) => ({
      channelCode: names.channelCode.normalize(form),
      channelOrderId: names.channelOrderId.normalize(form),
    });
    const product = productToBuy({ productUri: 'café', productName: 'Café' });
    const batch = { ...batchOf(newBuy(customer, [assetNum], {}, { products: [product] })), ...names };
    const decomposed = JSON.parse(JSON.stringify(batch).normalize('NFD'));
    const sent = await api.submit(decomposed);
    expect(sent.body).toEqual((await api.submit(batch)).body);
    await api.completed(batch);
    expect(dataOf(await api.ask('getBatchResult', { query: texts('NFD') }))).toMatchObject(names);
    expect(dataOf(await api.ask('listBatches', { query: { channelCode: texts('NFD').channelCode } }))).toMatchObject({
      batches: [names],
    });
    for (const form of ['NFC', 'NFD']) {
      const found = await api.call('GET', `/asset/${encodeURIComponent(assetNum.normalize(form))}`);
      expect(found.body).toMatchObject({ data: { assetNum, products: [{ productName: 'Café' }] } });
    }
    const revocation = deleteProduct(customer, [assetNum.normalize('NFD')], { productUri: 'café'.normalize('NFD') });
    expect(await api.process(batchOf(revocation))).toMatchObject([{ state: 'succeeded' }]);
  });

  it('are folded in an asset number, in all calls', async () => {
    const assetNum = `KEY 7_${newAssetNum()}`;
    const wide = `\u3000${[...assetNum].map((each) => (each === ' ' ? '\u00a0' : toWide(each))).join('')}\u3000`;
    const lock = { licenseType: 'normal_recover_usbkey' };
    expect(await api.process(batchOf(newBuy(customer, [wide], lock)))).toMatchObject([{ state: 'succeeded' }]);
    expect((await api.call('GET', `/asset/${encodeURIComponent(wide)}`)).body).toMatchObject({ data: { assetNum } });
    const locked = await api.call('POST', '/asset/lock', { body: { assetNums: [wide], operatorIdentity: 'Ada' } });
    expect(dataOf(locked)).toEqual([{ assetNum, status: 1 }]);
    expect(dataOf(await api.ask('listOrders', { query: { assetNum: wide } }))).toMatchObject({ orders: [{}] });
    const repeated = await api.submit(batchOf(newBuy(customer, [assetNum, wide], lock)));
    expect(refusalOf(repeated).cause).toBe('asset_number_repeated');
    expect(await api.process(batchOf(deleteAsset(customer, [wide], lock)))).toMatchObject([{ state: 'succeeded' }]);
  });

  const toWide = (each: string) => String.fromCharCode(each.charCodeAt(0) + 0xfee0);

  it.each([
    ['8.1E+09', '8100000000'],
    ['8100000001.0', '8100000001'],
    ['8,100,000,001.00', '8100000001'],
    ['08100000001', '8100000001'],
    ['="8100000001"', '8100000001'],
  ])('%s is refused, and %s suggested', async (assetNum, meant) => {
    const path = 'orderList[0].assets[0].assetNos[0]';
    await expectRefused(newBuy(customer, [assetNum]), 'field_invalid', path, `did you mean ${meant}?`);
    const { message } = refusalOf(await api.call('GET', `/asset/${encodeURIComponent(assetNum)}`));
    expect(message).toContain(meant);
  });

  it.each(['8E9', '81-00', '8.1', 'A,1', '0000', '12 34', '1.2.3', 'Ünal-7', '编号１'])(
    '%s is an asset number',
    async (assetNum) => {
      expect((await api.submitPreview(batchOf(newBuy(customer, [assetNum])))).body).toMatchObject({ code: 0 });
    },
  );
});

describe('a misspelled field of other calls', () => {
  it('is refused: O2', async () => {
    const body = { crmCustomerId: 'slip', customerName: 'Slip', branchName: 'B', Address: '1 Main Street' };
    const message = buildMessage('field_misspelled', 'Address', 'address');
    const answer = await api.call('POST', '/enterprise/user/create', { body });
    expect(refusalOf(answer)).toMatchObject({ code: '13004', cause: 'field_misspelled', message });
  });

  it('in a query of M5, and of the console', async () => {
    const query = { pageNum: '1', pageSize: '9', departmentID: '5' };
    const members = await center.call('GET', `/enterprise/${center.enterpriseId}/members`, { query });
    expect(refusalOf(members)).toMatchObject({ code: '40000', cause: 'field_misspelled' });
    const viewer = await ConsoleClient.logIn(stack, 'viewer');
    const answer = await viewer.send('listAssets', { query: { stat: 'revoked' } as object });
    expect([answer.status, answer.body.cause]).toEqual([400, 'field_misspelled']);
  });

  it('M1 is refused as a whole, because the client is wrong and not the employee', async () => {
    const userList = [newEmployee({ userName: 'lee' }), { ...newEmployee({ userName: 'mei' }), Remark: 'a' }];
    const path = `/enterprise/${center.enterpriseId}/member`;
    expect(refusalOf(await center.call('POST', path, { body: { userList } }))).toMatchObject({
      code: '40000',
      cause: 'field_misspelled',
      message: buildMessage('field_misspelled', 'userList[1].Remark', 'remark'),
    });
  });
});
