import type { Customer } from '@lockstep/contract';
import { HIDDEN } from '@lockstep/contract/console';
import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import { type Api, dataOf } from '../harness/api.ts';
import { ConsoleClient } from '../harness/browser/console.ts';
import { type Answer, type Receiver, startReceiver } from '../harness/network/receiver.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { testStack, untilTestsEnd } from '../harness/stack.ts';

/** Webhooks of all applications in the console, and what support does if deliveries fail. */
const WAIT = { timeout: 30_000, interval: 20 };

const { stack } = await testStack({ webhookAllowPrivate: true });
const support = await ConsoleClient.logIn(stack, 'support');

interface Shop {
  api: Api;
  customer: Customer;
  appKey: string;
}
async function newShop(): Promise<Shop> {
  const api = await stack.newApi();
  return { api, customer: await api.newCustomer(), appKey: api.credentials.appKey };
}
/** An application's webhook, and the endpoint behind it. */
async function newWebhook({ api }: Shop, answer?: Answer): Promise<{ webhookId: string; receiver: Receiver }> {
  const receiver = await untilTestsEnd(startReceiver(answer));
  const { webhookId } = dataOf(await api.call('POST', '/webhooks', { body: { url: `${receiver.url}?key=hidden` } }));
  return { webhookId, receiver };
}
const answerWith =
  (status: number): Answer =>
  (response) =>
    response.writeHead(status).end();
/** Completes one batch, which causes one event. */
async function endBatch({ api, customer }: Shop): Promise<string> {
  const batch = { ...batchOf(newBuy(customer, [newAssetNum()])), syncMode: 'sync' as const };
  await api.accept(batch);
  return batch.channelOrderId;
}
const orderIds = ({ received }: Receiver) => received.map(({ message }) => message.data.channelOrderId);
const read = (webhookId: string) => support.call('getWebhook', { params: { webhookId } });
const awaitWebhook = (webhookId: string, expected: Record<string, unknown>) =>
  vi.waitFor(async () => {
    const webhook = await read(webhookId);
    expect(webhook).toMatchObject(expected);
    return webhook;
  }, WAIT);
const list = async (query: Record<string, string>) =>
  (await support.call('listWebhooks', { query })).webhooks.map(({ webhookId }) => webhookId);
const disable = (webhookId: string) =>
  sql`
    update webhook set disabled_time = now(), disabled_cause = 'endpoint_gone'
    where id = ${webhookId}`.execute(stack.db);
/** Moves the times of an application's events into the past. */
const age = ({ appKey }: Shop, by: string) =>
  sql`alter table event disable trigger refuse_change;
    update event set created_time = created_time - ${sql.lit(by)}::interval
    where application_id = (select id from application where app_key = ${sql.lit(appKey)});
    alter table event enable trigger refuse_change`.execute(stack.db);

describe('a webhook', () => {
  it('shows its application and deliveries, but neither its secret nor the query of its URL', async () => {
    const shop = await newShop();
    const { webhookId, receiver } = await newWebhook(shop);
    await endBatch(shop);
    await receiver.awaitCount(1);
    const webhook = await awaitWebhook(webhookId, { pending: { count: 0 } });
    expect(webhook).toEqual({
      webhookId,
      url: `${receiver.url}?…`,
      description: null,
      state: 'active',
      types: null,
      channelCodes: null,
      pausedTime: null,
      createdTime: expect.any(Number),
      disabledTime: null,
      disabledCause: null,
      appKey: shop.appKey,
      applicationName: 'Test',
      applicationStatus: 'approved',
      failingSinceTime: null,
      pending: { count: 0, isMore: false },
      nextAttemptTime: null,
      waitingEvents: { count: 0, isMore: false },
      oldestMissingTime: null,
    });
  });

  it('that fails shows since when, its backlog, the next attempt, and its attempts', async () => {
    const shop = await newShop();
    const { webhookId } = await newWebhook(shop, answerWith(503));
    await endBatch(shop);
    const failing = await awaitWebhook(webhookId, { state: 'failing', pending: { count: 1 } });
    expect(failing.nextAttemptTime).toBeGreaterThan(failing.failingSinceTime!);
    const { deliveries, nextCursor } = await support.call('listWebhookDeliveries', { params: { webhookId } });
    expect(deliveries).toMatchObject([{ state: 'pending', attempts: [{ status: 503, fault: expect.any(String) }] }]);
    expect(nextCursor).toBeNull();
  });

  it('that is deleted is not found', async () => {
    const shop = await newShop();
    const { webhookId } = await newWebhook(shop);
    await shop.api.call('DELETE', `/webhooks/${webhookId}`);
    expect((await support.send('getWebhook', { params: { webhookId } })).status).toBe(404);
    expect(await list({ appKey: shop.appKey })).toEqual([]);
  });
});

describe('the list', () => {
  it('has those of an application, newest first, in pages, and those in a state', async () => {
    const shop = await newShop();
    const { appKey } = shop;
    const made = [];
    for (let count = 0; count < 3; count++) made.unshift((await newWebhook(shop)).webhookId);
    await disable(made[1]!);
    await sql`update webhook set failing_since = now() where id = ${made[2]!}`.execute(stack.db);
    const first = await support.call('listWebhooks', { query: { appKey, limit: '2' } });
    expect(first.webhooks.map(({ webhookId }) => webhookId)).toEqual(made.slice(0, 2));
    expect(await list({ appKey, limit: '2', cursor: first.nextCursor! })).toEqual(made.slice(2));
    expect(await list({ appKey, state: 'active' })).toEqual([made[0]]);
    expect(await list({ appKey, state: 'disabled' })).toEqual([made[1]]);
    expect(await list({ appKey, state: 'failing' })).toEqual([made[2]]);
    const answer = await support.send('listWebhooks', { query: { cursor: first.nextCursor! } });
    expect(answer.body).toMatchObject({ cause: 'field_invalid' });
  });

  it('has those of every application', async () => {
    const one = await newWebhook(await newShop());
    const other = await newWebhook(await newShop());
    expect((await list({})).slice(0, 2)).toEqual([other.webhookId, one.webhookId]);
  });
});

describe('a disabled webhook', () => {
  it('is enabled for new events', async () => {
    const shop = await newShop();
    const { webhookId, receiver } = await newWebhook(shop);
    await disable(webhookId);
    await endBatch(shop);
    await awaitWebhook(webhookId, { state: 'disabled', waitingEvents: { count: 1 } });
    const params = { webhookId };
    expect(await support.call('enableWebhook', { params, body: {} })).toMatchObject({ state: 'active' });
    const sent = await endBatch(shop);
    await receiver.awaitCount(1);
    expect(orderIds(receiver)).toEqual([sent]);
    expect(await support.changesOf(webhookId)).toEqual([
      {
        action: 'webhook.enabled',
        before: { state: 'disabled', disabledTime: expect.any(Number), disabledCause: 'endpoint_gone' },
        after: { state: 'active', fromTime: null },
      },
    ]);
    // Enabling again is a no-op and is not recorded.
    for (const rawBody of ['{}', '', ' ']) {
      expect(await support.send('enableWebhook', { params, rawBody })).toMatchObject({ status: 200 });
    }
    expect(await support.changesOf(webhookId)).toHaveLength(1);
  });

  it('is enabled with the events since a time', async () => {
    const shop = await newShop();
    const other = await newShop();
    await endBatch(shop);
    await endBatch(other);
    await vi.waitFor(async () => expect(dataOf(await shop.api.call('GET', '/events')).events).toHaveLength(1), WAIT);
    await age(shop, '1 day');
    const { webhookId, receiver } = await newWebhook(shop);
    await disable(webhookId);
    const missed = [await endBatch(shop), await endBatch(shop)];
    await awaitWebhook(webhookId, { waitingEvents: { count: 2 } });
    const fromTime = Date.now() - 3_600_000;
    await support.call('enableWebhook', { params: { webhookId }, body: { fromTime } });
    await receiver.awaitCount(2);
    expect(orderIds(receiver).sort()).toEqual(missed.sort());
  });

  it('replays nothing and sends no test', async () => {
    const { webhookId } = await newWebhook(await newShop());
    await disable(webhookId);
    const refused = { body: { cause: 'webhook_disabled' } };
    expect(await support.send('replayWebhook', { params: { webhookId }, body: {} })).toMatchObject(refused);
    expect(await support.send('testWebhook', { params: { webhookId } })).toMatchObject(refused);
    expect(await support.changesOf(webhookId)).toEqual([]);
  });
});

describe('events are replayed', () => {
  it('all that are stored, those after one, or those since a time', async () => {
    const shop = await newShop();
    const { webhookId, receiver } = await newWebhook(shop);
    const sent = [await endBatch(shop), await endBatch(shop)];
    // Events in flight are not replayed as well.
    const arrived = async (count: number) => {
      await receiver.awaitCount(count);
      await awaitWebhook(webhookId, { pending: { count: 0 } });
    };
    await arrived(2);
    const params = { webhookId };
    await support.call('replayWebhook', { params, body: {} });
    await arrived(4);
    const [first] = dataOf(await shop.api.call('GET', '/events')).events;
    await support.call('replayWebhook', { params, body: { after: first.id } });
    await arrived(5);
    await support.call('replayWebhook', { params, body: { from: first.time - 60_000 } });
    await arrived(7);
    // After the newest event there is nothing to replay.
    await support.call('replayWebhook', { params, body: { from: Date.now() + 3_600_000 } });
    sent.push(await endBatch(shop));
    await receiver.awaitCount(8);
    const count = (id: string) => orderIds(receiver).filter((one) => one === id).length;
    expect(sent.map(count)).toEqual([3, 4, 1]);
    expect((await support.changesOf(webhookId)).map(({ action }) => action)).toEqual(
      Array.from({ length: 4 }, () => 'webhook.replayed'),
    );
  });

  it.each([
    ['enableWebhook', 'fromTime'],
    ['replayWebhook', 'from'],
  ] as const)('by %s since a time in milliseconds only', async (operation, field) => {
    const { webhookId } = await newWebhook(await newShop());
    const body = { [field]: Math.floor(Date.now() / 1_000) };
    expect(await support.send(operation, { params: { webhookId }, body })).toMatchObject({
      status: 400,
      body: { cause: 'date_not_milliseconds', faults: [{ path: field }] },
    });
  });

  it('after an event or since a time, not both', async () => {
    const { webhookId } = await newWebhook(await newShop());
    const body = { after: '1', from: Date.now() };
    expect(await support.send('replayWebhook', { params: { webhookId }, body })).toMatchObject({
      status: 400,
      body: { cause: 'field_invalid', message: expect.stringContaining('from') },
    });
  });
});

describe('a webhook that support pauses', () => {
  it('waits until it is resumed, and the audit log names each change of state', async () => {
    const shop = await newShop();
    const { webhookId, receiver } = await newWebhook(shop);
    const params = { webhookId };
    for (let count = 0; count < 2; count++)
      expect(await support.call('pauseWebhook', { params })).toMatchObject({ state: 'paused' });
    expect(await list({ appKey: shop.appKey, state: 'paused' })).toEqual([webhookId]);
    const sent = await endBatch(shop);
    await awaitWebhook(webhookId, { waitingEvents: { count: 1 } });
    expect((await support.send('testWebhook', { params })).body).toMatchObject({ cause: 'webhook_paused' });
    await support.call('resumeWebhook', { params });
    await receiver.awaitCount(1);
    expect(orderIds(receiver)).toEqual([sent]);
    expect(await support.changesOf(webhookId)).toEqual([
      { action: 'webhook.resumed', before: { state: 'paused' }, after: { state: 'active' } },
      { action: 'webhook.paused', before: { state: 'active' }, after: { state: 'paused' } },
    ]);
  });
});

it('a message is sent again by support, and viewers do not see what the endpoint answered', async () => {
  const shop = await newShop();
  const { webhookId, receiver } = await newWebhook(shop, (response) => response.writeHead(200).end('Kim, 13812340001'));
  await endBatch(shop);
  await receiver.awaitCount(1);
  await awaitWebhook(webhookId, { pending: { count: 0 } });
  const params = { webhookId };
  const [delivery] = (await support.call('listWebhookDeliveries', { params })).deliveries;
  expect(delivery!.attempts).toMatchObject([{ answer: 'Kim, 13812340001' }]);
  const viewer = await ConsoleClient.logIn(stack, 'viewer');
  const [shown] = (await viewer.call('listWebhookDeliveries', { params })).deliveries;
  expect(shown!.attempts).toMatchObject([{ status: 200, answer: HIDDEN }]);
  const { deliveryId, messageId } = delivery!;
  expect((await viewer.send('resendDelivery', { params: { webhookId, deliveryId } })).status).toBe(403);
  await support.call('resendDelivery', { params: { webhookId, deliveryId } });
  await receiver.awaitCount(2);
  expect(receiver.received[1]!.headers['webhook-id']).toBe(messageId);
  expect(await support.changesOf(webhookId)).toEqual([
    { action: 'webhook.resent', before: null, after: { messageId } },
  ]);
});

it('a test message reaches the endpoint, and the audit log says who sent it', async () => {
  const { webhookId, receiver } = await newWebhook(await newShop());
  const { messageId } = await support.call('testWebhook', { params: { webhookId } });
  const [received] = await receiver.awaitCount(1);
  expect(received!.headers['webhook-id']).toBe(messageId);
  expect(await support.changesOf(webhookId)).toEqual([
    { action: 'webhook.tested', before: null, after: { messageId } },
  ]);
});
