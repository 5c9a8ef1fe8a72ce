import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import { ConsoleClient } from '../harness/browser/console.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/** Channels in the console: backlog, pause and resume. */

const { stack } = await testStack({ worker: false });
const [viewer, support] = [await ConsoleClient.logIn(stack, 'viewer'), await ConsoleClient.logIn(stack, 'support')];
const [api, bound] = [await stack.newApi(), await stack.newApi(['auth_order'], ['test', 'empty'])];
const codes = [{ code: 'empty' }, { code: 'a/b %' }];
await stack.db.insertInto('channel').values(codes).execute();
const customer = await api.newCustomer();
const [pending] = await api.accept(batchOf(newBuy(customer, [newAssetNum()]), newBuy(customer, [newAssetNum()])));

const read = (channelCode: string) => viewer.call('getChannel', { params: { channelCode } });
const pause = (channelCode: string, reason = 'ticket 4711') =>
  support.call('pauseChannel', { params: { channelCode }, body: { reason } });
const resume = (channelCode: string) => support.call('resumeChannel', { params: { channelCode } });
const NOTHING = { pendingOrders: 0, heldOrders: 0, oldestPendingTime: null, estimatedCompletionTime: null };

it('a channel shows its backlog, since when, and its applications', async () => {
  // A process caches this for a second.
  await vi.waitFor(async () => expect(await read('test')).toMatchObject({ pendingOrders: 2 }), 10_000);
  expect(await read('test')).toMatchObject({
    channelCode: 'test',
    state: 'current',
    pausedTime: null,
    heldOrders: 0,
    oldestPendingTime: expect.any(Number),
    hasMoreApplications: false,
    applications: [
      { appKey: api.credentials.appKey, name: 'Test', pendingOrders: 2, isBound: false },
      { appKey: bound.credentials.appKey, name: 'Test', pendingOrders: 0, isBound: true },
    ],
  });
  expect(await read('empty')).toMatchObject({
    ...NOTHING,
    perSecond: { accepted: 0, succeeded: 0, failed: 0 },
    applications: [{ appKey: bound.credentials.appKey }],
  });
  expect(await read('a/b %')).toMatchObject({ channelCode: 'a/b %', applications: [] });
});

it('the list has every channel by code, in pages, filtered by code and state', async () => {
  const list = async (query: object) => {
    const { channels, nextCursor } = await viewer.call('listChannels', { query });
    return { codes: channels.map(({ channelCode }) => channelCode), nextCursor };
  };
  const first = await list({ limit: '2' });
  expect(first.codes).toEqual(['a/b %', 'empty']);
  expect(await list({ limit: '2', cursor: first.nextCursor })).toEqual({ codes: ['test'], nextCursor: null });
  expect(await list({ search: 'EMP' })).toEqual({ codes: ['empty'], nextCursor: null });
  expect(await list({ state: 'paused' })).toEqual({ codes: [], nextCursor: null });
  const other = await viewer.send('listChannels', { query: { search: 'e', cursor: first.nextCursor! } });
  expect(other.body.cause).toBe('field_invalid');
});

describe('a channel', () => {
  it('is paused for a reason and resumed, which the audit log records; a no-op is not recorded', async () => {
    expect(await pause('test')).toEqual({ pausedTime: expect.any(Number), isNoOp: false, isIdle: true });
    const paused = await read('test');
    expect(paused).toMatchObject({ state: 'paused', pausedTime: expect.any(Number), estimatedCompletionTime: null });
    const { pausedTime } = paused;
    const known = { channelCode: 'test', pausedTime, pausedBy: support.login.name, reason: 'ticket 4711' };
    expect(paused.pause).toEqual(known);
    // Its order and batch name the pause for which they wait.
    const order = await viewer.call('getOrder', { params: { licenseOrderId: pending!.licenseOrderId } });
    expect(order.pause).toEqual(known);
    expect((await viewer.call('getBatch', { params: { batchId: order.batchId } })).pauses).toEqual([known]);
    expect(await pause('test', 'again')).toEqual({ pausedTime: paused.pausedTime, isNoOp: true, isIdle: true });
    await vi.waitFor(async () => {
      const { delayed, backlog } = await viewer.call('getOverview', { query: {} });
      expect(delayed).toMatchObject({ paused: 1, first: [{ channelCode: 'test', state: 'paused' }] });
      expect(backlog).toEqual({ pendingOrders: 0, pausedOrders: 2, heldOrders: 0, oldest: null });
      expect(await viewer.call('getProblems')).toMatchObject({ channels: 1, heldOrders: 0 });
    }, 10_000);
    expect(await resume('test')).toEqual({ pausedTime: null, isNoOp: false });
    expect(await resume('test')).toEqual({ pausedTime: null, isNoOp: true });
    expect(await read('test')).toMatchObject({ pausedTime: null, pause: null });
    const { entries } = await support.call('listAuditLog', { query: { target: 'test' } });
    expect(entries).toMatchObject([
      { operator: support.login.name, action: 'channel.resumed', before: { isPaused: true } },
      { operator: support.login.name, action: 'channel.paused', after: { isPaused: true, reason: 'ticket 4711' } },
    ]);
  });

  it('is not paused without a reason', async () => {
    const answer = await support.send('pauseChannel', { params: { channelCode: 'test' }, body: { reason: ' ' } });
    expect([answer.status, answer.body.cause]).toEqual([400, 'field_missing']);
  });

  it('is not paused by a viewer', async () => {
    const answer = await viewer.send('pauseChannel', { params: { channelCode: 'test' }, body: { reason: 'no' } });
    expect(answer.body.cause).toBe('role_missing');
    const { rows } = await sql`select from channel where paused_time is not null`.execute(stack.db);
    expect(rows).toEqual([]);
  });
});
