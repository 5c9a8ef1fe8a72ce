import {
  AssetDetail,
  type AssetHistory,
  buildMessage,
  type Customer,
  type HistoryEntry,
  type VerdictReason,
} from '@lockstep/contract';
import { ListCursor } from '@lockstep/platform';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Api, dataOf, readPages, refusalOf } from '../../harness/api.ts';
import { applicationIdOf } from '../../harness/databases/tables.ts';
import { openWithLoan } from '../../harness/members/holdings.ts';
import { MemberCenter } from '../../harness/members/member-center.ts';
import {
  batchOf,
  deleteAsset,
  deleteProduct,
  merchandise,
  newAssetNum,
  newBuy,
  productToBuy,
  type Sent,
} from '../../harness/orders/orders.ts';
import { testStack } from '../../harness/stack.ts';
import { walkHistory } from '../../model/asset-history.ts';

/** An asset by its number, and its history (rules 6.7). Answers must match the contract in strict form. */
const strictDetail = z.strictObject(AssetDetail.shape);
const pathOf = (assetNum: string) => `/asset/${encodeURIComponent(assetNum)}`;
const submitAsset = (api: Api, assetNum: string) => api.call('GET', pathOf(assetNum));
const readAsset = async (api: Api, assetNum: string) => strictDetail.parse(dataOf(await submitAsset(api, assetNum)));
const submitHistory = (api: Api, assetNum: string, query: Record<string, string> = {}) =>
  api.call('GET', `${pathOf(assetNum)}/history`, { query });
const readHistory = (api: Api, assetNum: string) => walkHistory(api, assetNum, '200');
const readPage = async (assetNum: string, query: Record<string, string>, by = api): Promise<AssetHistory> =>
  dataOf(await submitHistory(by, assetNum, query));
const causeOf = async (answer: ReturnType<Api['call']>) => refusalOf(await answer).cause;

/** The parts of an entry that tests compare: its action and its object. */
const told = (entries: HistoryEntry[]) =>
  entries.map(({ action, productUri }) => (productUri === null ? action : `${action} ${productUri}`));

const change = async (api: Api, operation: 'lockAssets' | 'unlockAssets', assetNum: string, operatorIdentity: string) =>
  dataOf(await api.ask(operation, { body: { assetNums: [assetNum], operatorIdentity } }));

const { stack, api } = await testStack();
const customer = await api.newCustomer();
const other = await api.newCustomer();

/** Applies one order in a batch of its own. */
async function order(sent: Sent, by = api) {
  const batch = { ...batchOf(sent), syncMode: 'sync' as const };
  const [accepted] = await by.accept(batch);
  const { finishedTime } = (await by.completed(batch)).orders[0]!;
  const { channelCode, channelOrderId } = batch;
  return { licenseOrderId: accepted!.licenseOrderId, channelCode, channelOrderId, finishedTime };
}

const uri = (productUri: string) => ({ products: [productToBuy({ productUri })] });
const moved = { transferedAssetNum: true };

describe('an asset by its number', () => {
  it('is shown with every field, and with its contents as M7 shows them', async () => {
    const center = await MemberCenter.open(stack);
    const assetNum = newAssetNum();
    const secret = 'secret of a license';
    const products = [productToBuy({ passwords: [secret] }), productToBuy({ productUri: 'gms-200' })];
    const terms = {
      limitStartDate: 10,
      limitEndDate: 4_000_000_000_020,
      assetExtendList: [{ extendCode: 'gxxp', extendValue: '1' }],
    };
    const bought = await order(
      newBuy(center.customer, [assetNum], {}, { ...terms, products, merchandises: [merchandise()] }),
    );
    const { assetId, products: shown, merchandises, ...asset } = await readAsset(api, assetNum);
    expect(asset).toEqual({
      assetNum,
      licenseType: 'normal_recover_usbkey',
      customerId: center.customer.customerId,
      enterpriseGlobalId: center.enterpriseId,
      limitStartDate: 10,
      limitEndDate: 4_000_000_000_020,
      validity: 'active',
      verdict: { usable: false, reasons: [expect.objectContaining({ reason: 'unassigned' })] },
      locked: false,
      freezing: false,
      borrowedUsbKey: false,
      assetExtendList: terms.assetExtendList,
      licenseOrderIds: [bought.licenseOrderId],
      assigned: false,
      memberGlobalId: null,
      lentInto: null,
    });
    const contents = await center.contents(assetId);
    const { validity, verdict } = asset;
    expect({ productInstanceList: shown, children: merchandises, validity, verdict }).toEqual(contents);
    expect(shown.map(({ productUri }) => productUri)).toEqual(['gms-100', 'gms-200']);
    expect(JSON.stringify((await submitAsset(api, assetNum)).body)).not.toContain(secret);
  });

  it('shows its holder, the lock that it is lent into, and what was bought on it meanwhile', async () => {
    const center = await MemberCenter.open(stack);
    const [member] = await center.add();
    const [asset] = await center.buy(1);
    const [lock] = await center.buyLocks();
    const { assetNum, assetId } = asset!;
    const before = { ...(await readAsset(api, assetNum)), memberGlobalId: member!.globalId };
    expect(before).toMatchObject({ assigned: false, lentInto: null });
    await center.assign(member!.globalId, assetNum);
    const verdict = (...reasons: Partial<VerdictReason>[]) => ({
      usable: reasons.length === 0,
      reasons: reasons.map((reason) => expect.objectContaining(reason)),
    });
    expect(await readAsset(api, assetNum)).toEqual({ ...before, ...{ assigned: true, verdict: verdict() } });
    dataOf(await center.lend(member!.globalId, lock!.assetNum, [assetId]));
    expect(before.products).not.toEqual([]);
    expect(await readAsset(api, assetNum)).toEqual({
      ...before,
      assigned: true,
      lentInto: lock!.assetNum,
      verdict: verdict({ reason: 'lent', lockAssetNum: lock!.assetNum, memberGlobalId: member!.globalId }),
    });
    const shownLock = await readAsset(api, lock!.assetNum);
    expect(shownLock).toMatchObject({ borrowedUsbKey: true, assigned: false, lentInto: null });
    expect(shownLock.products.map((product) => product.assetNum)).toEqual([lock!.assetNum]);
  });

  it('names the orders that delete_asset may name, which after a transfer is the transferring order', async () => {
    const assetNum = newAssetNum();
    const first = await order(newBuy(customer, [assetNum]));
    const second = await order(newBuy(customer, [assetNum]));
    const ids = [first.licenseOrderId, second.licenseOrderId];
    expect((await readAsset(api, assetNum)).licenseOrderIds).toEqual(ids);
    const transfer = await order(newBuy(other, [assetNum], {}, moved));
    const asset = await readAsset(api, assetNum);
    expect(asset).toMatchObject({ customerId: other.customerId, licenseOrderIds: [transfer.licenseOrderId] });
    expect(asset.products.map((product) => product.licenseOrderId)).toEqual(Array(3).fill(transfer.licenseOrderId));
  });

  it('is disabled, revoked, and a different asset once its number is bought again', async () => {
    const assetNum = newAssetNum();
    await order(newBuy(customer, [assetNum]));
    await change(api, 'lockAssets', assetNum, 'Me');
    const before = await readAsset(api, assetNum);
    expect(before.locked).toBe(true);
    await order(deleteAsset(customer, [assetNum]));
    expect(refusalOf(await submitAsset(api, assetNum))).toEqual({
      code: '13004',
      cause: 'asset_not_found',
      message: buildMessage('asset_not_found', assetNum, 'now'),
    });
    await order(newBuy(customer, [assetNum]));
    const after = await readAsset(api, assetNum);
    expect(after.locked).toBe(false);
    expect(after.assetId).not.toBe(before.assetId);
  });
});

describe('the path', () => {
  it.each([
    ['a slash', '8/1'],
    ['Chinese letters', '加密锁一号'],
    ['a percent sign', '100%25'],
    ['a question mark, a hash and dots', '..?a#b'],
    ['the name of an operation', 'lock'],
    ['the name of another operation', 'history'],
    ['255 letters that take two units each', '😀'.repeat(255)],
  ])('accepts a number with %s', async (_, assetNum) => {
    const { licenseOrderId } = await order(newBuy(customer, [assetNum]));
    expect(await readAsset(api, assetNum)).toMatchObject({ assetNum, licenseOrderIds: [licenseOrderId] });
    expect(told(await readHistory(api, assetNum))).toEqual(['product_bought gms-100', 'created']);
  });
});

describe('the history of a number', () => {
  it('lists who had it and where it was lent, and what ended that; entries never move', async () => {
    const { center, asset, lock, kim } = await openWithLoan(stack);
    const { assetNum } = asset;
    const shown = async () => {
      const entries = await readHistory(api, assetNum);
      return entries.filter(({ memberGlobalId }) => memberGlobalId !== null);
    };
    const before = await shown();
    dataOf(await center.configure(kim.globalId, [assetNum], [assetNum]));
    const { licenseOrderId } = await order(deleteAsset(center.customer, [assetNum]), center.api);
    const after = await shown();
    expect(after.slice(-2)).toEqual(before);
    const by = { memberGlobalId: kim.globalId, administratorGlobalId: center.adminId, licenseOrderId: null };
    const lockAssetNum = lock.assetNum;
    expect(after).toMatchObject([
      { ...by, action: 'unassigned', administratorGlobalId: null, licenseOrderId, endCause: 'order' },
      { ...by, action: 'assigned' },
      { ...by, action: 'unassigned', endCause: 'withdrawn' },
      { ...by, action: 'returned', lockAssetNum },
      { ...by, action: 'lent', lockAssetNum, endCause: null },
      { ...by, action: 'assigned', lockAssetNum: null },
    ]);
  });

  it('lists events and their orders, newest first', async () => {
    const assetNum = newAssetNum();
    const items = { merchandises: [merchandise({ licenseOrderProductList: [productToBuy({ productUri: 'app-m' })] })] };
    const bought = await order(newBuy(customer, [assetNum], {}, { ...uri('app-1'), ...items }));
    const assetId = (await readAsset(api, assetNum)).assetId;
    const extended = await order(newBuy(customer, [assetNum], {}, uri('app-2')));
    await change(api, 'lockAssets', assetNum, 'Li Wei');
    await change(api, 'unlockAssets', assetNum, 'Kim');
    const ended = await order(deleteProduct(customer, [assetNum], { productUri: 'app-m' }));
    const transferred = await order(newBuy(other, [assetNum], {}, { ...uri('app-3'), ...moved }));
    await change(api, 'lockAssets', assetNum, 'Kim');
    const revoked = await order(deleteAsset(other, [assetNum], { srcLicenseOrderId: transferred.licenseOrderId }));
    const again = await order(newBuy(customer, [assetNum], {}, uri('app-4')));
    const { assetId: nextId } = await readAsset(api, assetNum);

    const ofNobody = {
      ...{ productUri: null, instanceId: null },
      ...{ memberGlobalId: null, lockAssetNum: null, administratorGlobalId: null, endCause: null },
    };
    const by = ({ finishedTime: time, ...ids }: Awaited<ReturnType<typeof order>>, customerId: string) => {
      return { ...ofNobody, time, assetId, ...ids, customerId, operatorIdentity: null };
    };
    const instance = { instanceId: expect.stringMatching(/^\d+$/) };
    const [ofCustomer, ofOther] = [customer.customerId, other.customerId];
    const noOrder = { licenseOrderId: null, channelCode: null, channelOrderId: null };
    const byOperator = { ...ofNobody, time: expect.any(Number), assetId, ...noOrder };
    const history = await readHistory(api, assetNum);
    expect(history).toEqual([
      { ...by(again, ofCustomer), assetId: nextId, action: 'product_bought', productUri: 'app-4', ...instance },
      { ...by(again, ofCustomer), assetId: nextId, action: 'created' },
      { ...by(revoked, ofOther), action: 'revoked' },
      { ...by(revoked, ofOther), action: 'product_revoked', productUri: 'app-3', ...instance },
      { ...by(revoked, ofOther), action: 'product_revoked', productUri: 'app-2', ...instance },
      { ...by(revoked, ofOther), action: 'product_revoked', productUri: 'app-1', ...instance },
      { ...byOperator, customerId: ofOther, action: 'locked', operatorIdentity: 'Kim' },
      { ...by(transferred, ofOther), action: 'product_bought', productUri: 'app-3', ...instance },
      { ...by(transferred, ofOther), action: 'transferred' },
      { ...by(ended, ofCustomer), action: 'merchandise_revoked', ...instance },
      { ...by(ended, ofCustomer), action: 'product_revoked', productUri: 'app-m', ...instance },
      { ...byOperator, customerId: ofCustomer, action: 'unlocked', operatorIdentity: 'Kim' },
      { ...byOperator, customerId: ofCustomer, action: 'locked', operatorIdentity: 'Li Wei' },
      { ...by(extended, ofCustomer), action: 'product_bought', productUri: 'app-2', ...instance },
      { ...by(extended, ofCustomer), action: 'extended' },
      { ...by(bought, ofCustomer), action: 'product_bought', productUri: 'app-m', ...instance },
      { ...by(bought, ofCustomer), action: 'product_bought', productUri: 'app-1', ...instance },
      { ...by(bought, ofCustomer), action: 'merchandise_bought', ...instance },
      { ...by(bought, ofCustomer), action: 'created' },
    ]);
    const times = history.map(({ time }) => time);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    const instanceOf = (sought: string) =>
      new Set(history.filter(({ productUri }) => productUri === sought).map(({ instanceId }) => instanceId)).size;
    for (const productUri of ['app-1', 'app-2', 'app-3', 'app-m']) expect(instanceOf(productUri)).toBe(1);
    expect(await walkHistory(api, assetNum, '1')).toEqual(history);
    expect(await walkHistory(api, assetNum, '4')).toEqual(history);
  });

  it('omits an order that left nothing, and continues behind it', async () => {
    const assetNum = newAssetNum();
    const { licenseOrderId: srcLicenseOrderId } = await order(newBuy(customer, [assetNum], {}, uri('app-1')));
    await order(newBuy(customer, [assetNum], {}, uri('app-2')));
    await order(deleteProduct(customer, [assetNum], { productUri: 'app-1' }));
    await order(deleteAsset(customer, [assetNum], { srcLicenseOrderId }));
    const { entries, nextCursor } = await readPage(assetNum, { limit: '1' });
    expect(told(entries)).toEqual(['product_revoked app-1']);
    expect(nextCursor).not.toBeNull();
    const story = ['product_revoked app-1', 'product_bought app-2', 'extended', 'product_bought app-1', 'created'];
    expect(told(await readHistory(api, assetNum))).toEqual(story);
    expect(told(await walkHistory(api, assetNum, '1'))).toEqual(story);
  });

  it('stays consistent while orders take effect: each page continues where the last one ended', async () => {
    const assetNum = newAssetNum();
    await order(
      newBuy(customer, [assetNum], {}, { products: [productToBuy(), productToBuy({ productUri: 'app-2' })] }),
    );
    await order(newBuy(customer, [assetNum], {}, uri('app-3')));
    const before = await readHistory(api, assetNum);
    const happen = [
      () => order(newBuy(customer, [assetNum], {}, uri('app-4'))),
      () => change(api, 'lockAssets', assetNum, 'Me'),
      () => order(deleteProduct(customer, [assetNum], { productUri: 'app-2' })),
      () => order(deleteAsset(customer, [assetNum])),
      () => order(newBuy(other, [assetNum], {}, uri('app-5'))),
    ];
    const pages = await readPages(async (cursor) => {
      const page = await readPage(assetNum, { limit: '1', cursor });
      await happen.shift()?.();
      return page;
    });
    const walked = pages.flatMap(({ entries }) => entries);
    expect(walked).toEqual(before);
    expect((await readHistory(api, assetNum)).slice(-before.length)).toEqual(before);
  });

  it('refuses a cursor that is truncated, of another number or application, or forged', async () => {
    const wrong = { code: '13004', cause: 'field_invalid', message: expect.stringMatching(/^cursor: /) };
    const [assetNum, otherNum] = [newAssetNum(), newAssetNum()];
    await order(newBuy(customer, [assetNum, otherNum]));
    const cursor = (await readPage(assetNum, { limit: '1' })).nextCursor!;
    const refused = [
      submitHistory(api, assetNum, { cursor: cursor.slice(1) }),
      submitHistory(api, otherNum, { cursor }),
      submitHistory(await stack.newApi(), assetNum, { cursor }),
    ];
    for (const answer of refused) expect(refusalOf(await answer)).toMatchObject(wrong);
    expect(dataOf(await submitHistory(api, assetNum, { cursor })).entries).toHaveLength(1);
    const applicationId = await applicationIdOf(stack.db, api.credentials);
    const { assetId, licenseOrderIds } = await readAsset(api, assetNum);
    const [orderId] = licenseOrderIds as string[];
    const scope = ['assetHistory', applicationId, { assetNum }];
    const forged = [
      [],
      [assetId, 'order', 'x', '', ''],
      ['x', 'order', orderId!, '', ''],
      ['9', 'order', orderId!, '', ''],
      [assetId, 'order', '9', '', ''],
      [assetId, 'lock', orderId!, '', ''],
      [assetId, 'order', orderId!, 'sold', assetId],
      [assetId, 'order', orderId!, 'created', '-1'],
    ];
    for (const place of forged) {
      const answer = refusalOf(
        await submitHistory(api, assetNum, { cursor: new ListCursor(scope, undefined).write(place)! }),
      );
      expect(answer, place.join(' ')).toMatchObject(wrong);
    }
    const good = new ListCursor(scope, undefined).write([assetId, 'order', orderId!, 'created', assetId])!;
    expect(await readPage(assetNum, { cursor: good })).toEqual({ entries: [], nextCursor: null });
  });

  it('of a number that no asset ever had is not found', async () => {
    const assetNum = newAssetNum();
    const expected = { code: '13004', cause: 'asset_not_found' };
    expect(refusalOf(await submitHistory(api, assetNum))).toMatchObject({
      ...expected,
      message: expect.stringContaining(assetNum),
    });
    expect(refusalOf(await submitAsset(api, assetNum))).toMatchObject(expected);
  });
});

describe('another application', () => {
  it('sees the events, but not the batches and operators of ours', async () => {
    const stranger = await stack.newApi();
    const assetNum = newAssetNum();
    await order(newBuy(customer, [assetNum]));
    await change(api, 'lockAssets', assetNum, 'Ours');
    await change(stranger, 'unlockAssets', assetNum, 'Theirs');
    const extended = await order(newBuy(customer, [assetNum], {}, uri('app-2')), stranger);
    const { channelCode, channelOrderId } = extended;
    const own = { channelCode, channelOrderId, operatorIdentity: null };
    const none = { channelCode: null, channelOrderId: null, operatorIdentity: null };
    expect(await readHistory(stranger, assetNum)).toMatchObject([
      { action: 'product_bought', ...own },
      { action: 'extended', ...own, licenseOrderId: extended.licenseOrderId },
      { action: 'unlocked', ...none, operatorIdentity: 'Theirs' },
      { action: 'locked', ...none },
      { action: 'product_bought', ...none },
      { action: 'created', ...none, customerId: customer.customerId },
    ]);
    expect(await readAsset(stranger, assetNum)).toEqual(await readAsset(api, assetNum));
  });

  it('that is bound to a channel sees the events while the asset was of that channel', async () => {
    const ours = await stack.newApi(['auth_order'], ['test']);
    const theirs = await stack.newApi(['auth_order'], ['theirs']);
    const names = { customerName: 'C', branchName: 'B', enterpriseName: newAssetNum(), passwordMobile: '13800000000' };
    const body = { channelCode: 'theirs', channelCustomerId: newAssetNum(), ...names };
    const theirCustomer: Customer = dataOf(await api.ask('bindCustomer', { body }));
    const assetNum = newAssetNum();
    const notFound = async (by: Api) => {
      expect(await causeOf(submitAsset(by, assetNum))).toBe('asset_not_found');
      expect(await causeOf(submitHistory(by, assetNum))).toBe('asset_not_found');
    };
    await order(newBuy(customer, [assetNum], {}, uri('app-1')));
    await change(api, 'lockAssets', assetNum, 'Me');
    await notFound(theirs);
    const { nextCursor } = await readPage(assetNum, { limit: '2' }, ours);

    await order(newBuy(theirCustomer, [assetNum], {}, { ...uri('app-2'), ...moved }));
    await change(api, 'unlockAssets', assetNum, 'Me');
    await notFound(ours);
    expect(await causeOf(submitHistory(ours, assetNum, { cursor: nextCursor! }))).toBe('asset_not_found');
    const story = ['unlocked', 'product_bought app-2', 'transferred'];
    expect(told(await readHistory(theirs, assetNum))).toEqual(story);
    expect(told(await walkHistory(theirs, assetNum, '1'))).toEqual(story);
    await order(deleteAsset(theirCustomer, [assetNum]));
    await notFound(ours);
    const ended = ['revoked', 'product_revoked app-2', 'product_revoked app-1', ...story];
    expect(told(await readHistory(theirs, assetNum))).toEqual(ended);

    // The number is bought again in our channel. The bound application sees nothing of the earlier asset.
    await order(newBuy(customer, [assetNum], {}, uri('app-3')));
    expect(told(await readHistory(ours, assetNum))).toEqual(['product_bought app-3', 'created']);
    expect(told(await walkHistory(ours, assetNum, '1'))).toEqual(['product_bought app-3', 'created']);
    expect(told(await readHistory(theirs, assetNum))).toEqual(ended);
    expect((await readHistory(api, assetNum)).length).toBe(ended.length + 5);
  });

  it('that is bound to a channel does not see the lock of another one', async () => {
    const center = await MemberCenter.open(stack);
    const [member] = await center.add();
    const [lock] = await center.buyLocks();
    const own = await center.api.newCustomer(center.customer.enterpriseName);
    const assetNum = newAssetNum();
    await order(newBuy(own, [assetNum]));
    await center.assign(member!.globalId, assetNum);
    dataOf(await center.lend(member!.globalId, lock!.assetNum, [(await readAsset(api, assetNum)).assetId]));
    expect(await readAsset(api, assetNum)).toMatchObject({ assigned: true, lentInto: lock!.assetNum });
    const ours = await stack.newApi(['auth_order'], ['test']);
    expect(await readAsset(ours, assetNum)).toMatchObject({ assigned: true, lentInto: null });
  });
});
