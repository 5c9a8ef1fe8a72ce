import type { PreviewedBatch } from '@lockstep/contract/console';
import { describe, expect, it } from 'vitest';
import { dataOf } from '../harness/api.ts';
import { ConsoleClient } from '../harness/browser/console.ts';
import { contentOfTables } from '../harness/databases/tables.ts';
import { batchOf, deleteProduct, newAssetNum, newBuy, productToBuy } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/** What a batch would do, as an operator sees it for any application. */

const { stack, api } = await testStack({ worker: false });
const viewer = await ConsoleClient.logIn(stack, 'viewer');
const customer = await api.newCustomer();

/** Sends a body as it was pasted or dropped. */
const paste = (rawBody: string | Uint8Array<ArrayBuffer>, query: { appKey?: string } = {}) =>
  viewer.send('previewBatch', { rawBody, query });

async function preview(batch: unknown, query: { appKey?: string } = {}): Promise<PreviewedBatch> {
  return dataOf(await paste(JSON.stringify(batch), query)) as PreviewedBatch;
}

describe('a preview', () => {
  it('shows for each order what it would do now, and changes nothing', async () => {
    const [bought, again] = [newAssetNum(), newAssetNum()];
    await api.carryOut(newBuy(customer, [bought], {}, { products: [productToBuy({ limitConcurrent: 5 })] }));
    const batch = batchOf(
      newBuy(customer, [again]),
      deleteProduct(customer, [again]),
      deleteProduct(customer, [bought], { limitConcurrent: 3, strictMatchWhenDelete: true }),
    );
    const before = await contentOfTables(stack.db);
    const previewed = await preview(batch);
    expect(await contentOfTables(stack.db)).toEqual(before);
    const { channelCode, channelOrderId } = batch;
    expect(previewed).toMatchObject({ channelCode, channelOrderId, syncMode: 'async' });
    expect(previewed.orders).toMatchObject([
      {
        state: 'succeeded',
        numbers: [{ assetNum: again, isActive: false }],
        assetCount: 1,
        productCount: 1,
        assets: [{ action: 'create' }],
      },
      // It sees the order before it.
      {
        state: 'succeeded',
        numbers: [{ assetNum: again, isActive: false }],
        assetCount: 0,
        products: [{ action: 'revoke', id: null }],
      },
      {
        state: 'failed',
        cause: 'product_not_found',
        numbers: [{ assetNum: bought, isActive: true }],
        productCount: 0,
        nearest: [{ assetNum: bought, values: [{ field: 'limitConcurrent', wanted: 3, found: 5 }] }],
      },
    ]);
  });

  it('reads a large batch whole, and accepts a byte order mark', async () => {
    const count = 2_000;
    const orders = Array.from({ length: count }, () => newBuy(customer, [newAssetNum()]));
    const previewed = await preview(batchOf(...orders));
    expect(previewed.orders).toHaveLength(count);
    expect(previewed.orders.every(({ state, productCount }) => state === 'succeeded' && productCount === 1)).toBe(true);

    const marked = `\uFEFF${JSON.stringify(batchOf(newBuy(customer, [newAssetNum()])))}`;
    expect((await paste(marked)).status).toBe(200);
  });

  it('lists no more than a page can show, and says how many there are', async () => {
    const numbers = Array.from({ length: 600 }, newAssetNum);
    const [order] = (await preview(batchOf(newBuy(customer, numbers)))).orders;
    expect(order).toMatchObject({ numberCount: 600, assetCount: 600, productCount: 600 });
    expect([order?.numbers.length, order?.assets.length, order?.products.length]).toEqual([500, 500, 500]);
  });

  it('respects the channels of the application, if one is named', async () => {
    const bound = await stack.newApi(['auth_order'], ['elsewhere']);
    const batch = batchOf(newBuy(customer, [newAssetNum()]));
    const refused = await paste(JSON.stringify(batch), { appKey: bound.credentials.appKey });
    expect(refused).toMatchObject({ status: 400, body: { cause: 'channel_not_allowed' } });
    // The application can't see customers of another channel.
    const [order] = (await preview({ ...batch, channelCode: 'elsewhere' }, { appKey: bound.credentials.appKey }))
      .orders;
    expect(order).toMatchObject({ state: 'failed', cause: 'customer_not_found' });
    const unknown = await paste(JSON.stringify(batch), { appKey: 'nobody' });
    expect(unknown).toMatchObject({ status: 404, body: { cause: 'not_found' } });
  });
});

describe('invalid input', () => {
  it.each([
    ['nonsense', '{\nis it a batch?', 'json_malformed', 'line 2, column 1'],
    ['nothing', '', 'field_missing', 'body'],
    ['a repeated key', '{"a":[{"b":1,"b":2}]}', 'field_repeated', 'a[0].b'],
    ['a list', '[1, 2]', 'field_invalid', 'object'],
    ['another shape', '{"orders": []}', 'field_missing', 'channelCode'],
    ['bytes that are no text', new Uint8Array([0xff, 0xfe, 0x00]), 'json_malformed', 'UTF-16'],
  ])('is refused: %s', async (_what, body, cause, names) => {
    const { status, body: answer } = await paste(body);
    expect([status, answer.cause]).toEqual([400, cause]);
    expect(answer.message).toContain(names);
  });

  it('is refused with the path of the field', async () => {
    const batch = batchOf(newBuy(customer, [newAssetNum()]), newBuy(customer, [newAssetNum()], { customerId: 7 }));
    const { body } = await paste(JSON.stringify(batch));
    expect(body.message).toContain('orderList[1].customerId');
  });

  it('is refused when it is larger than a batch may be', async () => {
    const { status, body } = await paste(new Uint8Array(4 * 1024 * 1024 + 1).fill(0x20));
    expect([status, body.cause]).toEqual([400, 'body_too_large']);
  });
});
