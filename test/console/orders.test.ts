import { randomUUID } from 'node:crypto';
import { buildMessage } from '@lockstep/contract';
import {
  type ConsoleCall,
  type ConsoleOperationId,
  ConsoleOrder,
  consoleOperations,
  OrderContent,
  OwnedOrder,
} from '@lockstep/contract/console';
import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import { dataOf } from '../harness/api.ts';
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
import { allowStrict, buyStrict, refuseStrict } from '../harness/orders/strict-orders.ts';
import { readResult } from '../harness/orders/sync-batches.ts';
import { testStack } from '../harness/stack.ts';

/** Orders in the console, of all applications. */

/** What a viewer sees of personal data. */
const MASKED = {
  adminEmail: '(hidden)',
  adminAccount: '(hidden)',
  adminCellNumber: '•••••••0000',
  passwordMobile: '•••••••0000',
  address: '(hidden)',
};

const { stack, api } = await testStack();
const viewer = await ConsoleClient.logIn(stack, 'viewer');
const [customer, other] = [await api.newCustomer(), await api.newCustomer()];

/** Runs an async batch and returns the ids of its orders. */
async function process(...orders: Sent[]): Promise<string[]> {
  return (await api.process(batchOf(...orders))).map(({ licenseOrderId }) => licenseOrderId);
}
const paramsOf = (licenseOrderId: string | undefined) => ({ params: { licenseOrderId: licenseOrderId! } });

describe('the list of orders', () => {
  /** All pages of a list, two entries each; the ids, newest first. */
  const listAll = async (query: ConsoleCall<'listAllOrders'>['query']): Promise<string[]> => {
    const pages = await viewer.pagesOf('listAllOrders', { query: { ...query, limit: '2' } });
    const orders = pages.flatMap((page) => page.orders.map((order) => ConsoleOrder.strict().parse(order)));
    return orders.map(({ licenseOrderId }) => licenseOrderId);
  };

  it('is filtered by customer, asset number, cause, state, type and application', async () => {
    const [another, owner] = [await stack.newApi(), await api.newCustomer()];
    const { customerId } = owner;
    const num = newAssetNum();
    const [bought] = await process(newBuy(owner, [num]));
    const startMs = Date.now();
    const elsewhere = await another.process(
      batchOf(newBuy(owner, [newAssetNum()]), deleteAsset(owner, [newAssetNum()])),
    );
    const [foreign, missing] = elsewhere.map(({ licenseOrderId }) => licenseOrderId);
    const [refused, revoked] = await process(
      deleteProduct(owner, [num], { productUri: 'x' }),
      deleteAsset(owner, [num]),
    );

    expect(await listAll({ customerId })).toEqual([revoked, refused, missing, foreign, bought]);
    expect(await listAll({ customerId, state: 'failed' })).toEqual([refused, missing]);
    expect(await listAll({ customerId, state: 'succeeded', orderType: 'new_buy' })).toEqual([foreign, bought]);
    expect(await listAll({ customerId, appKey: another.credentials.appKey })).toEqual([missing, foreign]);
    expect(await listAll({ customerId, appKey: 'nobody' })).toEqual([]);
    expect(await listAll({ assetNum: num })).toEqual([revoked, refused, bought]);
    expect(await listAll({ assetNum: num, cause: 'product_not_found' })).toEqual([refused]);
    const failed = await listAll({ cause: 'product_not_found', appKey: api.credentials.appKey });
    expect(failed).toContain(refused);
    expect((await listAll({ state: 'failed' })).slice(0, 2)).toEqual([refused, missing]);
    expect((await listAll({})).slice(0, 5)).toEqual([revoked, refused, missing, foreign, bought]);
    const period = { acceptedFrom: String(startMs), acceptedTo: String(startMs + 3_600_000) };
    expect(await listAll(period)).toEqual([revoked, refused, missing, foreign]);
    expect(await listAll({ ...period, state: 'failed' })).toEqual([refused, missing]);
    expect(await listAll({ ...period, assetNum: num })).toEqual([revoked, refused]);
    expect(await listAll({ acceptedTo: String(startMs - 1), state: 'failed' })).not.toContain(refused);
    expect(await listAll({ licenseOrderIds: `${bought},${refused},1`, state: 'failed' })).toEqual([bought, refused]);
    expect(await listAll({ state: 'pending' })).toEqual([]);
    expect(await listAll({ state: 'succeeded', cause: 'cancelled' })).toEqual([]);
  });
});

describe('an order', () => {
  it('shows its outcome and its application', async () => {
    const [id] = await process(newBuy(customer, [newAssetNum()]));
    const order = OwnedOrder.strict().parse(await viewer.call('getOrder', paramsOf(id)));
    expect(order).toMatchObject({
      licenseOrderId: id,
      state: 'succeeded',
      appKey: api.credentials.appKey,
      applicationName: 'Test',
      requestId: expect.stringMatching(/^[\w-]{36}$/),
      retries: [],
      srcLicenseOrderId: null,
      owner: { customerId: customer.customerId, customerName: 'Customer' },
    });
    const batch = await viewer.call('getBatch', { params: { batchId: order.batchId } });
    expect(batch.channelOrderId).toBe(order.channelOrderId);
  });

  it('shows the failures before its retries', async () => {
    const [id] = await process(deleteAsset(customer, [newAssetNum()]));
    await sql`
      insert into order_retry (license_order_id, cause, args, finished_time)
      values (${id}, 'asset_not_found', '["First"]', '2026-01-01Z'), (${id}, 'internal_error', '[]', '2026-01-02Z')`.execute(
      stack.db,
    );
    const { retries } = await viewer.call('getOrder', paramsOf(id));
    expect(retries).toMatchObject([
      { message: buildMessage('internal_error'), finishedTime: Date.parse('2026-01-02Z') },
      { message: buildMessage('asset_not_found', 'First'), args: ['First'] },
    ]);
  });

  it('shows its request while it is pending, and a preview', async () => {
    const { stack: idle } = await testStack({ worker: false });
    const operator = await ConsoleClient.logIn(idle, 'viewer');
    const sender = await idle.newApi();
    const buyer = await sender.newCustomer();
    const products = { products: [productToBuy({ passwords: ['secret'] })] };
    const batch = batchOf(...Array.from({ length: 3 }, () => newBuy(buyer, [newAssetNum()], {}, products)));
    const [, accepted] = await sender.accept(batch);
    const { licenseOrderId } = accepted!;
    const { assetNos } = (batch.orderList[1]!.assets as { assetNos: string[] }[])[0]!;
    const content = OrderContent.parse(await operator.call('getOrderContent', paramsOf(licenseOrderId)));
    const shown = { assetNos, products: [expect.objectContaining({ passwords: ['(hidden)'] })] };
    expect(content).toMatchObject({ kind: 'kept', order: { ...batch.orderList[1], ...MASKED, assets: [shown] } });
    expect(await operator.call('previewOrder', paramsOf(licenseOrderId))).toMatchObject({
      state: 'succeeded',
      assets: [{ assetNum: assetNos[0], action: 'create' }],
    });
    const listed = async (query: ConsoleCall<'listAllOrders'>['query']) =>
      (await operator.call('listAllOrders', { query })).orders.map((order) => order.licenseOrderId);
    expect(await listed({ assetNum: assetNos[0]! })).toEqual([licenseOrderId]);
    expect(await listed({ customerId: buyer.customerId, state: 'pending' })).toHaveLength(3);
    expect(await listed({ state: 'pending', limit: '1' })).toHaveLength(1);
  });

  it('shows its request after a failure, with hidden passwords', async () => {
    const products = { products: [productToBuy({ passwords: ['secret'] })] };
    const { enterpriseGlobalId } = other;
    const failing = newBuy({ ...customer, enterpriseGlobalId }, [newAssetNum()], {}, products);
    const [failed, succeeded] = await process(failing, newBuy(customer, [newAssetNum()]));
    const content = OrderContent.parse(await viewer.call('getOrderContent', paramsOf(failed)));
    const shown = { assetNos: expect.any(Array), products: [expect.objectContaining({ passwords: ['(hidden)'] })] };
    expect(content).toMatchObject({ kind: 'kept', order: { ...failing, ...MASKED, assets: [shown] } });
    const support = await ConsoleClient.logIn(stack, 'support');
    const whole = OrderContent.parse(await support.call('getOrderContent', paramsOf(failed)));
    expect(whole).toMatchObject({ kind: 'kept', order: { ...failing, assets: [shown] } });
    expect(await viewer.call('getOrderContent', paramsOf(succeeded))).toEqual({ kind: 'gone' });
    await sql`delete from failed_order where license_order_id = ${failed}`.execute(stack.db);
    expect(await viewer.call('getOrderContent', paramsOf(failed))).toEqual({ kind: 'expired' });
    expect(await viewer.call('previewOrder', paramsOf(failed))).toBeNull();
  });

  it('shows the closest products, with both values', async () => {
    const num = newAssetNum();
    const wanted = { limitEndDate: 1_800_000_002_000, strictMatchWhenDelete: true, limitConcurrent: 3 };
    const [, failed] = await process(
      newBuy(customer, [num], {}, { products: [productToBuy({ limitEndDate: 1_800_000_001_000 })] }),
      deleteProduct(customer, [num], wanted),
    );
    const preview = await viewer.call('previewOrder', paramsOf(failed));
    expect(preview).toMatchObject({ state: 'failed', cause: 'product_not_found' });
    expect(preview!.nearest).toEqual([
      {
        assetNum: num,
        productUri: 'gms-100',
        id: expect.any(String),
        differs: ['limitEndDate', 'limitConcurrent'],
        values: [
          { field: 'limitEndDate', wanted: 1_800_000_002_000, found: 1_800_000_001_000 },
          { field: 'limitConcurrent', wanted: 3, found: 1 },
        ],
      },
    ]);
    // The asset changes: now the order would succeed.
    const right = productToBuy({ limitEndDate: 1_800_000_002_000, limitConcurrent: 3 });
    await process(newBuy(customer, [num], {}, { products: [right] }));
    expect(await viewer.call('previewOrder', paramsOf(failed))).toMatchObject({ state: 'succeeded', nearest: [] });
  });
});

describe('a held order', async () => {
  const { stack: own, api: sender } = await testStack();
  const [reader, support] = [await ConsoleClient.logIn(own, 'viewer'), await ConsoleClient.logIn(own, 'support')];
  const buyer = await sender.newCustomer();
  await refuseStrict(own.db);
  const batch = batchOf(
    buyStrict(buyer),
    newBuy(buyer, [newAssetNum()]),
    newBuy(await sender.newCustomer(), [newAssetNum()]),
  );
  const [heldId, laterId, doneId] = (await sender.accept(batch)).map(({ licenseOrderId }) => licenseOrderId);
  await vi.waitUntil(async () => (await readResult(sender, batch)).held === 2, { timeout: 60_000 });
  const hold = {
    licenseOrderId: heldId,
    lastError: expect.stringMatching(/stricter/),
    nextTryTime: expect.any(Number),
  };

  it('names its error and next try, as do later orders of its customer', async () => {
    for (const id of [heldId, laterId]) expect(await reader.call('getOrder', paramsOf(id))).toMatchObject({ hold });
    const { batchId } = await reader.call('getOrder', paramsOf(doneId));
    const { orders } = await reader.call('listBatchOrders', { params: { batchId } });
    expect(orders).toMatchObject([{ hold }, { hold }, { hold: null }]);
    const { orders: all } = await reader.call('listAllOrders', { query: { customerId: buyer.customerId } });
    expect(all).toMatchObject([{ hold }, { hold }]);
  });

  it('is counted once, and its channel is not up to date', async () => {
    const counts = { heldOrders: 2, pendingOrders: 0 };
    await vi.waitFor(async () => {
      expect(await reader.call('getChannel', { params: { channelCode: 'test' } })).toMatchObject({
        ...counts,
        state: 'holding',
      });
      const { backlog, delayed } = await reader.call('getOverview', { query: {} });
      expect(backlog).toMatchObject({ ...counts, pausedOrders: 0, oldest: null });
      expect(delayed).toMatchObject({ holding: 1, behind: 0 });
      expect(await reader.call('getProblems')).toMatchObject({ heldOrders: 2, channels: 1 });
    }, 10_000);
  });

  it('is retried at once by support, even if its next try is far away, which the audit log records', async () => {
    const refused = await reader.send('retryOrder', paramsOf(heldId));
    expect(refused.body.cause).toBe('role_missing');
    await allowStrict(own.db);
    await sql`update order_hold set next_try = 'infinity'`.execute(own.db);
    expect(await support.call('retryOrder', paramsOf(laterId))).toEqual({ isRetried: true });
    await vi.waitUntil(async () => (await readResult(sender, batch)).state === 'completed', { timeout: 60_000 });
    expect(await support.call('retryOrder', paramsOf(heldId))).toEqual({ isRetried: false });
    const { entries } = await support.call('listAuditLog', { query: { action: 'order.retried' } });
    expect(entries).toMatchObject([{ target: laterId, operator: support.login.name, before: { state: 'held' } }]);
  });
});

describe('the effects of an order', () => {
  const effectsOf = (id: string | undefined) => viewer.call('getOrderEffects', paramsOf(id));

  it('are what it created and extended, even if revoked since', async () => {
    const [one, two] = [newAssetNum(), newAssetNum()];
    const [first] = await process(newBuy(customer, [one]));
    const [id] = await process(newBuy(customer, [one, two], {}, { merchandises: [merchandise()] }));
    const before = await effectsOf(id);
    expect(before.assets).toMatchObject([
      { assetNum: one, action: 'extended', isActive: true },
      { assetNum: two, action: 'created', isActive: true },
    ]);
    expect(before.items.map(({ assetNum, kind, action, code }) => [assetNum, kind, action, code])).toEqual([
      [one, 'merchandise', 'bought', 'M-1'],
      ...Array(2).fill([one, 'product', 'bought', 'gms-100']),
      [two, 'merchandise', 'bought', 'M-1'],
      ...Array(2).fill([two, 'product', 'bought', 'gms-100']),
    ]);
    expect(before.isCut).toBe(false);

    const [gone] = await process(deleteAsset(customer, [two]));
    const after = await effectsOf(id);
    expect(after.assets).toMatchObject([
      { assetNum: one, isActive: true },
      { assetNum: two, action: 'created', isActive: false },
    ]);
    expect(after.items).toHaveLength(6);
    expect(after.items.filter(({ revokedByOrderId }) => revokedByOrderId === gone)).toHaveLength(3);
    expect(await effectsOf(first)).toMatchObject({ assets: [{ assetNum: one, action: 'created' }], items: [{}] });
  });

  it('are what it revoked: assets, grants of one order, or products', async () => {
    const num = newAssetNum();
    const [first] = await process(newBuy(customer, [num]));
    await process(newBuy(customer, [num], {}, { products: [productToBuy({ productUri: 'gms-200' })] }));
    const [reduced] = await process(deleteProduct(customer, [num], { productUri: 'gms-200' }));
    const [withdrawn] = await process(deleteAsset(customer, [num], { srcLicenseOrderId: first }));
    const [revoked] = await process(deleteAsset(customer, [num]));
    expect(await effectsOf(reduced)).toMatchObject({
      assets: [{ assetNum: num, action: 'reduced', isActive: false }],
      items: [{ code: 'gms-200', action: 'revoked', revokedByOrderId: reduced }],
    });
    expect(await effectsOf(withdrawn)).toMatchObject({
      assets: [{ assetNum: num, action: 'grant_revoked' }],
      items: [{ code: 'gms-100', action: 'revoked', boughtByOrderId: first }],
    });
    expect(await effectsOf(revoked)).toMatchObject({ assets: [{ assetNum: num, action: 'revoked' }], items: [] });
  });

  it('include a transfer, with the previous customer', async () => {
    const num = newAssetNum();
    await process(newBuy(customer, [num]));
    const [id] = await process(newBuy(other, [num], {}, { transferedAssetNum: true }));
    expect(await effectsOf(id)).toMatchObject({
      assets: [{ assetNum: num, action: 'transferred', fromCustomerId: customer.customerId, isActive: true }],
      items: [{ code: 'gms-100', action: 'bought', boughtByOrderId: id }],
    });
  });

  it('are cut if there are many, and empty if the order failed', async () => {
    const nums = Array.from({ length: 201 }, newAssetNum);
    const [bought, failed] = await process(newBuy(customer, nums), deleteAsset(customer, [newAssetNum()]));
    const { assets, items, isCut } = await effectsOf(bought);
    expect({ assets: assets.length, items: items.length, isCut }).toEqual({ assets: 200, items: 200, isCut: true });
    expect(await effectsOf(failed)).toEqual({ assets: [], items: [], isCut: false });
  });
});

describe('the search', () => {
  const find = async (text: string) => (await viewer.call('search', { query: { text } })).hits;

  it('finds by id, number or name', async () => {
    const num = newAssetNum();
    const batch = batchOf(newBuy(customer, [num]));
    const [order] = await api.process(batch);
    expect(await find(order!.licenseOrderId)).toEqual([
      {
        kind: 'order',
        id: order!.licenseOrderId,
        name: order!.licenseOrderId,
        detail: batch.channelOrderId,
        state: 'succeeded',
      },
    ]);
    expect(await find(batch.channelOrderId)).toMatchObject([
      { kind: 'batch', name: batch.channelOrderId, detail: 'Test', state: 'completed' },
    ]);
    const wide = num.replace(/[0-9A-Z-]/gi, (each) => String.fromCharCode(each.charCodeAt(0) + 0xfee0));
    for (const text of [num, wide, num.slice(0, -1)]) {
      expect(await find(text)).toEqual([{ kind: 'asset', id: num, name: num, detail: null, state: null }]);
    }
    const { appKey } = api.credentials;
    expect(await find(appKey)).toMatchObject([{ kind: 'application', id: appKey, name: 'Test', state: null }]);
    const { enterpriseGlobalId, channelCustomerId } = customer;
    const { name } = await viewer.call('getEnterprise', { params: { enterpriseGlobalId } });
    expect(await find(name)).toMatchObject([{ kind: 'enterprise', id: enterpriseGlobalId, name }]);
    expect(await find(channelCustomerId)).toMatchObject([{ kind: 'customer', id: customer.customerId }]);
    expect(await find('nothing of the kind')).toEqual([]);
  });

  it('finds employees by part of their name or account, channels, and operators only for admins', async () => {
    const center = await MemberCenter.open(stack, api);
    const name = `张三${randomUUID().slice(0, 8)}`;
    const [employee] = await center.add(newEmployee({ name }));
    const hit = { kind: 'employee', id: center.enterpriseId, name, detail: employee!.userName };
    for (const text of [name.slice(1), employee!.userName.toUpperCase()]) expect(await find(text)).toMatchObject([hit]);
    await center.delete(employee!.globalId);
    expect(await find(name)).toEqual([]);
    expect(await find('TES')).toEqual(
      expect.arrayContaining([expect.objectContaining({ kind: 'channel', id: 'test' })]),
    );
    const admin = await ConsoleClient.logIn(stack, 'admin');
    const { name: own } = await admin.call('getMe');
    expect((await admin.call('search', { query: { text: own } })).hits).toMatchObject([{ kind: 'operator', id: own }]);
    expect(await find(own)).toEqual([]);
  });

  it('has whole matches first, then beginnings, and at most five', async () => {
    const word = randomUUID().slice(0, 13);
    const names = [...'12345'].map((digit) => `The ${word} ${digit}`).concat(`${word} 6`, word);
    for (const enterprise of names) await api.newCustomer(enterprise);
    const found = (await find(word.toUpperCase())).map((hit) => hit.name);
    expect(found).toEqual([word, `${word} 6`, ...names.slice(0, 3)]);
  });

  it('takes any text', async () => {
    const texts = ["'; drop table batch; --", '<img src=x onerror=alert(1)>', '*', '%', '\\', '9'.repeat(20)];
    for (const text of texts) expect(await find(text)).toEqual([]);
    expect((await viewer.send('search', { query: { text: ' ' } })).status).toBe(400);
  });
});

it('a viewer reads no whole mobile number, e-mail or address in any operation', async () => {
  const [mobile, email, address] = ['13899887766', 'mei@secret.example', '7 Secret Street'];
  const center = await MemberCenter.open(stack, api);
  const { enterpriseId: enterpriseGlobalId, customer: owner } = center;
  const support = await ConsoleClient.logIn(stack, 'support');
  await support.call('setSecurityMobile', { params: { enterpriseGlobalId }, body: { securityMobile: mobile } });
  const named = { crmCustomerId: owner.channelCustomerId, customerName: 'Mei', branchName: 'Branch' };
  dataOf(await api.ask('updateCustomer', { body: { ...named, address } }));
  const [employee] = await center.add(newEmployee({ passwordMobile: mobile }));
  const { assetNum } = (await center.buy())[0]!;
  await center.assign(employee!.globalId, assetNum);
  dataOf(await api.ask('lockAssets', { body: { assetNums: [assetNum], operatorIdentity: email } }));
  const personal = { adminEmail: email, adminAccount: email, adminCellNumber: mobile, passwordMobile: mobile, address };
  const [licenseOrderId] = await process(deleteProduct(owner, [assetNum], { productUri: 'x' }, personal));
  const { batchId, channelCode } = await viewer.call('getOrder', paramsOf(licenseOrderId));
  const { appKey } = api.credentials;
  const params = { licenseOrderId, batchId, channelCode, assetNum, enterpriseGlobalId, appKey, webhookId: '404' };

  const findRevealing = async (operator: ConsoleClient) => {
    const revealing: string[] = [];
    for (const [id, { method, role }] of Object.entries(consoleOperations)) {
      if (method !== 'GET' || role !== 'viewer') continue;
      const needed = {
        search: { text: owner.channelCustomerId },
        listImports: { channelOrderId: '*' },
        getExpiring: { expiresFrom: String(Date.now()), expiresTo: String(4e12) },
      };
      const query = needed[id as keyof typeof needed] ?? {};
      const { status, body } = await operator.send(id as ConsoleOperationId, { params, query } as never);
      expect([id, status]).toEqual([id, /^(getWebhook|listWebhookDeliveries)$/.test(id) ? 404 : 200]);
      const text = JSON.stringify(body);
      if ([mobile, email, address].some((secret) => text.includes(secret))) revealing.push(id);
    }
    return revealing;
  };
  expect(await findRevealing(support)).toEqual([
    'getOrderContent',
    'listAssets',
    'getAsset',
    'getAssetHistory',
    'listCustomers',
  ]);
  expect(await findRevealing(viewer)).toEqual([]);
});
