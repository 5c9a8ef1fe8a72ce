import { buildMessage, MAX_ORDERS_PER_BATCH } from '@lockstep/contract';
import { describe, expect, it } from 'vitest';
import { type Answer, pathIn, refusalOf } from '../../harness/api.ts';
import { batchOf, newBuy, productToBuy } from '../../harness/orders/orders.ts';
import { testStack } from '../../harness/stack.ts';

/** A call refused for its content lists its faults, up to a limit (rules 1). */

const { stack } = await testStack({ worker: false });
const api = await stack.newApi(['auth_order']);

const CUSTOMER = { customerId: '1', channelCustomerId: 'C-1', enterpriseGlobalId: '2' };
const faultsOf = (answer: Answer) => refusalOf(answer).faults!;
const pathsOf = (answer: Answer) => faultsOf(answer).map(({ path }) => path);

describe('a refused call lists', () => {
  it('every fault with its path and a message, the first fault first', async () => {
    const product = productToBuy({
      limitEndDate: '2026-12-31',
      trialEndDate: -1,
      limitConcurrent: '1',
      strictMatchWhenDelete: 'no',
      gmsPId: 'g',
      productUri: 5,
      trial: 2,
      productFeatures: {},
    });
    const batch = batchOf(newBuy(CUSTOMER, ['A'], { customerId: 2001, adminName: null }, { products: [product] }));
    const answer = await api.submit(batch);
    expect(refusalOf(answer)).toMatchObject({ code: '13004', cause: 'field_misspelled' });
    expect(pathIn(answer.body.message)).toBe('orderList[0].assets[0].products[0].gmsPId');
    const inProduct = (field: string) => `orderList[0].assets[0].products[0].${field}`;
    expect(pathsOf(answer)).toEqual([
      inProduct('gmsPId'),
      'orderList[0].customerId',
      'orderList[0].adminName',
      inProduct('productUri'),
      inProduct('limitEndDate'),
      inProduct('limitConcurrent'),
      inProduct('strictMatchWhenDelete'),
      inProduct('trial'),
      inProduct('trialEndDate'),
      inProduct('productFeatures'),
    ]);
    const messages = faultsOf(answer).map(({ message }) => message);
    expect(messages[0]).toBe(buildMessage('field_misspelled', '', 'gmsPid').slice(2));
    expect(messages).not.toContainEqual(expect.stringMatching(/^$|^: |\{\d\}|undefined|null/));
  });

  it('one fault, in a query too', async () => {
    const answer = await api.call('GET', '/licenseOrder/orders', { query: { customerId: 'x' } });
    const [fault, ...others] = faultsOf(answer);
    expect(others).toEqual([]);
    expect(refusalOf(answer).message).toBe(`customerId: ${fault!.message}`);
    expect(fault!.path).toBe('customerId');
  });

  it('no faults if all fields are valid', async () => {
    const query = { channelCode: 'test', channelOrderId: 'none' };
    const answer = await api.ask('getBatchResult', { query });
    expect(refusalOf(answer).cause).toBe('batch_not_found');
    expect(answer.body).not.toHaveProperty('faults');
  });

  it.each([
    ['without a type', {}],
    ['of an unknown type', { orderType: 'buy', sequence: 1, assets: [{ assetNos: [5] }] }],
  ])('all faults of an order %s', async (_, order) => {
    const paths = async (one: object) => pathsOf(await api.submit({ ...batchOf(), orderList: [one] }));
    const others = await paths({ ...order, orderType: 'delete_asset' });
    expect(others.length).toBeGreaterThan(10);
    expect(await paths(order)).toEqual(['orderList[0].orderType', ...others]);
  });

  it('the first 20 of a batch with faults everywhere, in a small answer', async () => {
    const product = productToBuy({ limitEnddate: 1, [`limit${'_'.repeat(100_000)}StartDate`]: 1, productUri: 5 });
    const broken = Array.from({ length: MAX_ORDERS_PER_BATCH }, () =>
      newBuy(
        CUSTOMER,
        ['A', 'A'],
        { sequence: 'x', customerId: null },
        { products: [productToBuy({ productUri: 5 })] },
      ),
    );
    broken[0] = newBuy(CUSTOMER, ['A'], {}, { products: [product] });
    const answer = await api.submit(batchOf(...broken));
    expect(refusalOf(answer).message).toMatch(/\b99\b/);
    expect(faultsOf(answer)).toHaveLength(20);
    expect(JSON.stringify(answer.body).length).toBeLessThan(20_000);
  });
});
