import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, refusalOf } from './harness/api.ts';
import { batchOf, newAssetNum, newBuy } from './harness/orders.ts';
import { type Stack, startStack } from './harness/stack.ts';
import { contentOfTables } from './harness/tables.ts';

/** An application that is bound to channels, and everything of other channels (decisions 2). */
let stack: Stack;
let unbound: Api;
let bound: Api;

beforeAll(async () => {
  stack = await startStack();
  unbound = await stack.newApi();
  bound = await stack.newApi(['auth_order', 'auth_me'], ['ours', 'ours too']);
});
afterAll(() => stack.close());

describe('a batch of another channel', () => {
  it.each(['async', 'sync'] as const)('is refused, %s', async (syncMode) => {
    const customer = await unbound.newCustomer();
    const batch = { ...batchOf(newBuy(customer, [newAssetNum()])), channelCode: 'theirs', syncMode };
    const before = await contentOfTables(stack.db);
    const refusal = {
      code: '13004',
      cause: 'channel_not_allowed',
      message: 'channelCode: the application is not bound to channel theirs.',
    };
    expect(refusalOf(await bound.submit(batch))).toEqual(refusal);
    expect(refusalOf(await bound.submitPreview(batch))).toEqual(refusal);
    expect(await contentOfTables(stack.db)).toEqual(before);
  });
});
