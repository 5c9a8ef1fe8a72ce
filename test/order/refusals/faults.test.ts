import { MAX_ORDERS_PER_BATCH } from '@lockstep/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Api, refusalOf } from '../../harness/api.ts';
import { batchOf, newBuy, productToBuy, type Sent } from '../../harness/orders/orders.ts';
import { type Stack, startStack } from '../../harness/stack.ts';

/** A call that is refused for what it holds says all that is wrong, up to a bound (rules 1). */
let stack: Stack;
let api: Api;

beforeAll(async () => {
  stack = await startStack({ worker: false });
  api = await stack.newApi(['auth_order']);
});
afterAll(() => stack.close());

const CUSTOMER = { customerId: '1', channelCustomerId: 'C-1', enterpriseGlobalId: '2' };
const faultsOf = (answer: Answer) => (answer.body as unknown as { faults?: Sent[] }).faults;

describe('a refused call lists', () => {
  it('every fault with its path and what was expected, that of the message first', async () => {
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
    expect(answer.body.message).toBe(
      'orderList[0].assets[0].products[0].gmsPId: is not a known field; did you mean gmsPid? (and 9 more faults)',
    );
    const inProduct = (field: string, message: string) => ({
      path: `orderList[0].assets[0].products[0].${field}`,
      message,
    });
    expect(faultsOf(answer)).toEqual([
      inProduct('gmsPId', 'is not a known field; did you mean gmsPid?'),
      { path: 'orderList[0].customerId', message: 'must be a string of 1 to 19 decimal digits, such as "2001"' },
      { path: 'orderList[0].adminName', message: 'is required' },
      inProduct('productUri', 'must be a string, such as "12"'),
      inProduct('limitEndDate', 'must be a number of milliseconds since 1970, such as 1798761599000'),
      inProduct('limitConcurrent', 'must be a number, such as 12'),
      inProduct('strictMatchWhenDelete', 'must be true or false'),
      inProduct('trial', 'must be 0 or 1'),
      inProduct('trialEndDate', 'must not be negative'),
      inProduct('productFeatures', 'must be a list: [...]'),
    ]);
  });

  it('one fault, of a query too', async () => {
    const answer = await api.call('GET', '/licenseOrder/orders', { query: { customerId: 'x' } });
    const message = 'must be a string of 1 to 19 decimal digits, such as "2001"';
    expect(refusalOf(answer).message).toBe(`customerId: ${message}`);
    expect(faultsOf(answer)).toEqual([{ path: 'customerId', message }]);
  });

  it('no faults where no field is wrong', async () => {
    const query = { channelCode: 'test', channelOrderId: 'none' };
    const answer = await api.ask('getBatchResult', { query });
    expect(refusalOf(answer).cause).toBe('batch_not_found');
    expect(answer.body).not.toHaveProperty('faults');
  });

  it('the first 20 of a batch in which everything is wrong, in a small answer', async () => {
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
    expect(refusalOf(answer).message).toMatch(/ \(and at least 99 more faults\)$/);
    expect(faultsOf(answer)).toHaveLength(20);
    expect(JSON.stringify(answer.body).length).toBeLessThan(20_000);
  });
});
