import { randomUUID } from 'node:crypto';
import { buildMessage } from '@lockstep/contract';
import { type ConsoleCall, OrdersToResend, TracedBatch } from '@lockstep/contract/console';
import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import type { Api } from '../harness/api.ts';
import { ConsoleClient } from '../harness/browser/console.ts';
import {
  batchOf,
  deleteAsset,
  deleteProduct,
  newAssetNum,
  newBuy,
  productToBuy,
  type Sent,
} from '../harness/orders/orders.ts';
import type { syncOf } from '../harness/orders/sync-batches.ts';
import { testStack } from '../harness/stack.ts';

/** Batches in the console, of all applications. */

const { stack } = await testStack();
const viewer = await ConsoleClient.logIn(stack, 'viewer');
const support = await ConsoleClient.logIn(stack, 'support');

type Query = ConsoleCall<'listAllBatches'>['query'];
const list = (query: Query = {}) => viewer.call('listAllBatches', { query });

/** All pages of a list, a few entries each. */
const listAll = async (query: Query) =>
  (await viewer.pagesOf('listAllBatches', { query: { ...query, limit: '2' } })).flatMap(({ batches }) => batches);
const namesOf = (batches: { channelOrderId: string }[]) => batches.map(({ channelOrderId }) => channelOrderId);

/** Sends a batch, waits until it is completed, and returns its id. */
async function send(api: Api, batch: ReturnType<typeof batchOf> | ReturnType<typeof syncOf>): Promise<string> {
  await api.accept(batch);
  await api.completed(batch);
  return await idOf(batch);
}
async function idOf({ channelOrderId }: { channelOrderId: string }): Promise<string> {
  const { batches } = await list({ channelOrderId });
  return batches[0]!.batchId;
}

describe('the list of batches', async () => {
  const [one, other] = [await stack.newApi(), await stack.newApi()];
  const customer = await one.newCustomer();
  const prefix = randomUUID();
  /** Newest last. */
  const names: string[] = [];
  for (const [place, api] of [one, other, one, other, one].entries()) {
    const fails = place % 2 === 1 ? [deleteAsset(customer, [newAssetNum()])] : [];
    const batch = { ...batchOf(newBuy(customer, [newAssetNum()]), ...fails), channelOrderId: `${prefix}-${place}` };
    await send(api, place === 4 ? { ...batch, channelCode: 'other' } : batch);
    names.push(batch.channelOrderId);
  }

  it('holds those of all applications, newest first, and pages do not overlap', async () => {
    const batches = await listAll({ channelOrderId: `${prefix}*` });
    expect(namesOf(batches)).toEqual(names.toReversed());
    const [newest, failed] = batches;
    expect(newest).toMatchObject({ appKey: one.credentials.appKey, applicationName: 'Test', channelCode: 'other' });
    expect(failed).toMatchObject({ appKey: other.credentials.appKey, state: 'completed', succeeded: 1, failed: 1 });
    const everything = namesOf(await listAll({})).filter((name) => name.startsWith(prefix));
    expect(everything).toEqual(names.toReversed());
  });

  it('is filtered by application, channel, number, state, failures and time', async () => {
    const find = async (query: Query) => namesOf(await listAll({ channelOrderId: `${prefix}*`, ...query }));
    expect(await find({ appKey: other.credentials.appKey })).toEqual([names[3], names[1]]);
    expect(await find({ appKey: 'nobody' })).toEqual([]);
    expect(await find({ channelCode: 'other' })).toEqual([names[4]]);
    expect(await find({ hasFailed: 'true' })).toEqual([names[3], names[1]]);
    expect(await find({ hasFailed: 'true', state: 'completed' })).toEqual([names[3], names[1]]);
    expect(await find({ state: 'processing' })).toEqual([]);
    expect(await find({ order: 'oldest' })).toEqual(names);
    expect(await find({ order: 'oldest', hasFailed: 'true', state: 'completed' })).toEqual([names[1], names[3]]);
    expect(await find({ channelOrderId: names[2] })).toEqual([names[2]]);
    expect(await find({ channelOrderId: names[4], channelCode: 'other' })).toEqual([names[4]]);
    expect(await find({ channelOrderId: names[4], channelCode: 'test' })).toEqual([]);
    const [{ acceptedTime } = { acceptedTime: 0 }] = await listAll({ channelOrderId: names[2] });
    const at = String(acceptedTime);
    expect(await find({ acceptedFrom: at })).toEqual([names[4], names[3], names[2]]);
    expect(await find({ acceptedTo: at })).toEqual([names[2], names[1], names[0]]);
    const refused = await viewer.send('listAllBatches', { query: { cursor: 'made-up' } });
    expect(refused).toMatchObject({ status: 400, body: { cause: 'field_invalid' } });
  });

  it('adds up those whose numbers begin alike, by channel', async () => {
    const { imports, isCut } = await viewer.call('listImports', { query: { channelOrderId: `${prefix}*` } });
    const counts = { pending: 0, held: 0, estimatedCompletionTime: null, completedTime: expect.any(Number) };
    expect(isCut).toBe(false);
    expect(imports).toMatchObject([
      { channelCode: 'other', ...counts, batches: 1, completed: 1, total: 1, succeeded: 1, failed: 0 },
      { channelCode: 'test', ...counts, batches: 4, completed: 4, total: 6, succeeded: 4, failed: 2 },
    ]);
  });
});

describe('a batch', () => {
  it('shows who sent it, its orders by state, and its failures by cause', async () => {
    const api = await stack.newApi();
    const customer = await api.newCustomer();
    const [bought, ...missing] = [newAssetNum(), newAssetNum(), newAssetNum()];
    const batch = batchOf(
      newBuy(customer, [bought]),
      ...missing.map((num) => deleteAsset(customer, [num])),
      deleteProduct(customer, [bought], { productUri: 'gms-404' }),
    );
    const batchId = await send(api, batch);
    const params = { batchId };
    const detail = await viewer.call('getBatch', { params });
    expect(TracedBatch.strict().parse(detail)).toMatchObject({
      batchId,
      appKey: api.credentials.appKey,
      channelOrderId: batch.channelOrderId,
      total: 4,
      failed: 3,
      requestId: expect.stringMatching(/^[\w-]{36}$/),
      reopenedTime: null,
    });
    const { failures } = await viewer.call('getBatchFailures', { params });
    expect(failures).toEqual([
      {
        cause: 'asset_not_found',
        orders: 2,
        messages: missing.map((num) => ({
          message: buildMessage('asset_not_found', num, 'of_customer', 'assets[0].assetNos[0]'),
          args: [num, 'of_customer', 'assets[0].assetNos[0]'],
          orders: 1,
        })),
        otherOrders: 0,
        resent: 0,
      },
      {
        cause: 'product_not_found',
        orders: 1,
        messages: [expect.objectContaining({ orders: 1 })],
        otherOrders: 0,
        resent: 0,
      },
    ]);
    const sequencesOf = async (query: ConsoleCall<'listBatchOrders'>['query']) => {
      const { orders, nextCursor } = await viewer.call('listBatchOrders', { params, query });
      return {
        places: orders.map(({ sequence }) => batch.orderList.findIndex((each) => each.sequence === sequence)),
        nextCursor,
      };
    };
    expect(await sequencesOf({ limit: '3' })).toEqual({ places: [0, 1, 2], nextCursor: '3' });
    expect(await sequencesOf({ limit: '3', cursor: '3' })).toEqual({ places: [3], nextCursor: null });
    expect(await sequencesOf({ state: 'succeeded' })).toEqual({ places: [0], nextCursor: null });
    expect(await sequencesOf({ state: 'failed', limit: '2' })).toEqual({ places: [1, 2], nextCursor: '3' });
    expect(await sequencesOf({ cause: 'product_not_found' })).toEqual({ places: [3], nextCursor: null });
    expect(await sequencesOf({ state: 'pending' })).toEqual({ places: [], nextCursor: null });
  });

  it('is cancelled by support, and the audit log says by whom', async () => {
    const { stack: idle } = await testStack({ worker: false });
    const operator = await ConsoleClient.logIn(idle, 'support');
    const api = await idle.newApi();
    const customer = await api.newCustomer();
    const batch = batchOf(newBuy(customer, [newAssetNum()]), newBuy(customer, [newAssetNum()]));
    await api.accept(batch);
    const { batches } = await operator.call('listAllBatches', { query: { state: 'accepted' } });
    expect(namesOf(batches)).toEqual([batch.channelOrderId]);
    const params = { batchId: batches[0]!.batchId };
    expect(await operator.call('cancelBatch', { params })).toEqual({ cancelled: 2, finished: 0 });
    expect(await operator.call('cancelBatch', { params })).toEqual({ cancelled: 0, finished: 2 });
    const { failures } = await operator.call('getBatchFailures', { params });
    expect(failures).toMatchObject([{ cause: 'cancelled', orders: 2 }]);
    expect((await operator.changesOf(params.batchId)).toReversed().slice(0, 2)).toEqual([
      { action: 'batch.cancel_asked', before: { state: 'accepted', pending: 2 }, after: null },
      { action: 'batch.cancelled', before: { state: 'accepted', pending: 2 }, after: { cancelled: 2, finished: 0 } },
    ]);
  });
});

describe('failed orders', async () => {
  const api = await stack.newApi();
  const customer = await api.newCustomer();
  const secret = 'se"cret';
  const withPassword = { products: [productToBuy({ passwords: [secret] })] };

  /** A completed batch whose second order has failed: its license type is not the asset's. */
  async function failOne() {
    const num = newAssetNum();
    const bought = newBuy(customer, [num]);
    const failed = newBuy(customer, [num], { licenseType: 'softkey' }, withPassword);
    const batch = batchOf(bought, failed);
    return { batch, failed, num, batchId: await send(api, batch) };
  }

  it('are downloaded as they were sent, but for their passwords', async () => {
    const { failed, batch, batchId } = await failOne();
    const { status, headers, body } = await support.send('downloadFailedOrders', { params: { batchId } });
    expect(status).toBe(200);
    expect(headers.get('content-disposition')).toContain(`filename*=UTF-8''failed-${batch.channelOrderId}.json`);
    const products = [productToBuy({ passwords: [''], strictMatchWhenDelete: false })];
    const { assets } = failed as { assets: Sent[] };
    expect(body).toEqual({
      channelCode: 'test',
      syncMode: 'async',
      orderList: [{ ...failed, assets: [{ ...assets[0], products }] }],
    });
    const { cause, message } = (await api.submit({ ...body, channelOrderId: randomUUID() })).body;
    expect({ cause, message }).toEqual({
      cause: 'field_missing',
      message: expect.stringContaining('orderList[0].assets[0].products[0].passwords[0]'),
    });
  });

  it('are fixed, checked, and resent with their passwords', async () => {
    const { batch, batchId, num } = await failOne();
    const params = { batchId };
    const { orderList, ...rest } = OrdersToResend.strict().parse(await support.call('getOrdersToResend', { params }));
    expect(rest).toEqual({
      channelCode: 'test',
      syncMode: 'async',
      hiddenPasswords: 1,
      channelOrderId: `${batch.channelOrderId}-retry`,
      failures: [
        expect.objectContaining({ sequence: (orderList[0] as Sent).sequence, cause: 'license_type_mismatch' }),
      ],
    });
    expect(JSON.stringify(orderList)).toContain('"passwords":["(hidden)"]');
    const body = { channelOrderId: rest.channelOrderId, orderList };
    const asItWas = await support.call('checkResend', { params, body });
    expect(asItWas.orders).toMatchObject([{ state: 'failed', cause: 'license_type_mismatch' }]);

    const fixed = { ...body, orderList: [{ ...(orderList[0] as Sent), licenseType: 'normal_recover_usbkey' }] };
    const { orders } = await support.call('checkResend', { params, body: fixed });
    expect(orders).toMatchObject([{ state: 'succeeded', assets: [{ assetNum: num, action: 'extend' }] }]);
    const sent = await support.call('resendOrders', { params, body: fixed });
    expect(sent).toEqual({ batchId: expect.any(String), channelOrderId: body.channelOrderId, orders: 1 });
    // Sending twice, as by a double click, creates one batch.
    expect(await support.call('resendOrders', { params, body: fixed })).toEqual(sent);
    expect(await api.completed({ channelCode: 'test', channelOrderId: body.channelOrderId })).toMatchObject({
      succeeded: 1,
    });
    const { rows } = await sql`
      select passwords from product_instance product join asset on asset.id = asset_id
      where asset_num = ${num} order by product.id desc`.execute(stack.db);
    expect(rows[0]).toEqual({ passwords: [secret] });
    const entries = (await support.changesOf(batchId)).toReversed();
    const { sequence } = orderList[0] as { sequence: number };
    const what = {
      orders: 1,
      digest: (entries[1]!.after as { digest: string }).digest,
      difference: {
        leftOut: 0,
        added: 0,
        more: 0,
        changes: [{ sequence, field: 'licenseType', before: 'softkey', after: 'normal_recover_usbkey' }],
      },
    };
    expect(entries.slice(0, 2)).toEqual([
      { action: 'batch.resend_asked', before: null, after: { channelOrderId: body.channelOrderId, ...what } },
      { action: 'batch.resent', before: null, after: { ...sent, ...what } },
    ]);
    expect(JSON.stringify(entries)).not.toContain('secret');
    const query = stack.db.selectFrom('batch').select('digest').where('id', '=', sent.batchId);
    const { digest } = await query.executeTakeFirstOrThrow();
    expect(what.digest).toBe(digest.toString('hex'));
    // Each of the two batches leads to the other.
    const made = { batchId: sent.batchId, channelOrderId: sent.channelOrderId };
    const from = { batchId, channelOrderId: batch.channelOrderId };
    const first = TracedBatch.strict().parse(await viewer.call('getBatch', { params }));
    expect(first).toMatchObject({ resends: [{ ...made, operator: support.login.name }], resentFrom: null });
    expect(await viewer.call('getBatch', { params: { batchId: sent.batchId } })).toMatchObject({
      resends: [],
      resentFrom: from,
    });
  });

  it('are marked one by one once they are resent, with what became of them', async () => {
    const batchId = await send(
      api,
      batchOf(...Array.from({ length: 3 }, () => deleteAsset(customer, [newAssetNum()]))),
    );
    const params = { batchId };
    const { orders } = await viewer.call('listBatchOrders', { params });
    const query = { licenseOrderId: orders[1]!.licenseOrderId };
    const chosen = { licenseOrderIds: query.licenseOrderId };
    const { orderList, channelOrderId } = await support.call('getOrdersToResend', { params, query: chosen });
    const [{ assets, ...order }] = orderList as [Sent];
    const fixed = { ...newBuy(customer, [newAssetNum()]), sequence: order.sequence };
    const sent = await support.call('resendOrders', { params, body: { channelOrderId, orderList: [fixed] } });
    const resentAs = { licenseOrderId: expect.any(String), batchId: sent.batchId, state: 'succeeded' };
    const marks = [{ resentAs: null }, { resentAs }, { resentAs: null }];
    await vi.waitFor(async () => {
      expect((await viewer.call('listBatchOrders', { params })).orders).toMatchObject(marks);
    });
    const listed = await viewer.call('listAllOrders', { query: { customerId: customer.customerId, state: 'failed' } });
    expect(listed.orders.find(({ licenseOrderId }) => licenseOrderId === query.licenseOrderId)).toMatchObject({
      resentAs,
    });
    expect(await viewer.call('getOrder', { params: query })).toMatchObject({ resentAs });
    expect(await viewer.call('getBatch', { params })).toMatchObject({ failed: 3, resent: 1 });
    expect((await viewer.call('getBatchFailures', { params })).failures).toMatchObject([{ orders: 3, resent: 1 }]);
    const { batches } = await viewer.call('listAllBatches', { query: { appKey: api.credentials.appKey } });
    expect(batches.find((each) => each.batchId === batchId)).toMatchObject({ failed: 3, resent: 1 });
    // The others remain, by cause, and get a new number.
    const sequences = orders.map(({ sequence }) => ({ sequence }));
    const read = (cause: 'asset_not_found' | 'asset_full') =>
      support.call('getOrdersToResend', { params, query: { cause } });
    const left = { orderList: [sequences[0], sequences[2]], failures: [sequences[0], sequences[2]] };
    expect(await read('asset_not_found')).toMatchObject(left);
    expect((await read('asset_not_found')).channelOrderId).toMatch(/-retry2$/);
    expect(await read('asset_full')).toMatchObject({ orderList: [], failures: [] });
  });

  it('can be fixed one by one, or as chosen', async () => {
    const num = newAssetNum();
    const wrong = () => newBuy(customer, [num], { licenseType: 'softkey' }, withPassword);
    const batchId = await send(api, batchOf(newBuy(customer, [num]), wrong(), wrong()));
    const { orders } = await viewer.call('listBatchOrders', { params: { batchId } });
    const [bought, first, last] = orders;
    const read = (licenseOrderIds: string) =>
      support.send('getOrdersToResend', { params: { batchId }, query: { licenseOrderIds } });
    const { data } = (await read(last!.licenseOrderId)).body;
    expect(data).toMatchObject({ orderList: [{ sequence: last!.sequence }], hiddenPasswords: 1 });
    expect(data.channelOrderId).toMatch(new RegExp(`-retry-${last!.sequence}$`));
    const chosen = (await read(orders.map(({ licenseOrderId }) => licenseOrderId).join())).body.data;
    expect(chosen).toMatchObject({ orderList: [{ sequence: first!.sequence }, { sequence: last!.sequence }] });
    expect(chosen.channelOrderId).toMatch(/-retry$/);
    expect((await read('1,x')).body).toMatchObject({ cause: 'field_invalid' });
    // It has succeeded, so there is nothing to fix.
    expect((await read(bought!.licenseOrderId)).status).toBe(404);
  });

  it('do not give their passwords to another asset', async () => {
    const { batchId } = await failOne();
    const params = { batchId };
    const { orderList, channelOrderId } = await support.call('getOrdersToResend', { params });
    const [order] = orderList as { assets: Sent[] }[];
    const moved = [{ ...order, assets: [{ ...order!.assets[0], assetNos: [newAssetNum()] }] }];
    for (const id of ['checkResend', 'resendOrders'] as const) {
      const refused = await support.send(id, { params, body: { channelOrderId, orderList: moved } });
      const message = expect.stringMatching(/^orderList\[0\]\.assets\[0\]\.products\[0\]\.passwords\[0\]: /);
      expect(refused).toMatchObject({ status: 400, body: { cause: 'field_invalid', message } });
    }
  });

  it('are refused as by O5, with the path of the field', async () => {
    const { batch, batchId } = await failOne();
    const params = { batchId };
    const { orderList, channelOrderId } = await support.call('getOrdersToResend', { params });
    const refuse = async (changes: Sent) => {
      const body = { channelOrderId, orderList, ...changes } as ConsoleCall<'resendOrders'>['body'];
      const { status, body: refused } = await support.send('resendOrders', { params, body });
      return { status, ...refused };
    };
    const bad = { ...(orderList[0] as Sent), licenseType: 'paper' };
    expect(await refuse({ orderList: [bad] })).toMatchObject({
      cause: 'field_invalid',
      message: expect.stringContaining('orderList[0].licenseType'),
    });
    expect(await refuse({ orderList: [] })).toMatchObject({ status: 400, cause: 'field_invalid' });
    expect(await refuse({ channelOrderId: batch.channelOrderId })).toMatchObject({
      cause: 'channel_order_id_conflict',
    });
  });

  it('are read on a thread if there are many, and left to the command if there are too many', async () => {
    const orders = Array.from({ length: 400 }, () => deleteAsset(customer, [newAssetNum()]));
    const batchId = await send(api, batchOf(...orders));
    const { orderList, channelOrderId } = await support.call('getOrdersToResend', { params: { batchId } });
    const sent = await support.call('resendOrders', { params: { batchId }, body: { channelOrderId, orderList } });
    expect(sent.orders).toBe(400);
    const large = Array.from({ length: 9 }, () =>
      deleteAsset(
        customer,
        Array.from({ length: 1_000 }, () => `${newAssetNum()}${'x'.repeat(235)}`),
      ),
    );
    const largeId = await send(api, batchOf(...large));
    const refused = await support.send('getOrdersToResend', { params: { batchId: largeId } });
    expect(refused.status).toBe(413);
    expect(refused.body).toMatchObject({ cause: 'too_large_to_edit', message: expect.stringContaining('batch retry') });
  });

  it('of a batch that has none, or is not completed, are not resent', async () => {
    const batchId = await send(api, batchOf(newBuy(customer, [newAssetNum()])));
    const refused = await support.send('getOrdersToResend', { params: { batchId } });
    expect(refused).toMatchObject({ status: 409, body: { cause: 'nothing_failed' } });
  });
});
