import { DeliveryPage, FeedEvent, WebhookDelivery } from '@lockstep/contract';
import { FAULTS } from '@lockstep/webhooks/testing';
import { sql } from 'kysely';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { dataOf, refusalOf } from '../../harness/api.ts';
import { type Answer, type Received, startReceiver } from '../../harness/network/receiver.ts';
import { batchOfEvent } from '../../harness/orders/events.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../../harness/orders/orders.ts';
import { syncOf } from '../../harness/orders/sync-batches.ts';
import { testStack, untilTestsEnd } from '../../harness/stack.ts';

/** Messages to webhooks: their content, times and results (rules 6.8). The receivers are local. */
const WAIT = { timeout: 30_000, interval: 20 };

const { stack, api } = await testStack({ webhookAllowPrivate: true });
const { db } = stack;
await stack.startWorker();
const customer = await api.newCustomer();
afterEach(async () => {
  // Otherwise, an event numbered later would go to the next test's webhook.
  await vi.waitFor(async () => {
    const { rows } = await sql`select from unnumbered_event`.execute(db);
    expect(rows).toEqual([]);
  }, WAIT);
  await sql`update webhook set deleted_time = now(), secret = null
    where deleted_time is null`.execute(db);
});

const receive = (answer?: Answer) => untilTestsEnd(startReceiver(answer));
/** Starts an endpoint that answers with a status once it is released. `asked` resolves when a message has arrived. */
async function receiveHeld(status: number) {
  const { promise: asked, resolve: tell } = Promise.withResolvers<void>();
  const { promise: going, resolve: release } = Promise.withResolvers<void>();
  const receiver = await receive((response) => {
    tell();
    void going.then(() => response.writeHead(status).end());
  });
  return { receiver, asked, release };
}
const answerWith =
  (status: number): Answer =>
  (response) =>
    response.writeHead(status).end();

const create = async (url: string, by = api): Promise<{ webhookId: string; secret: string }> =>
  dataOf(await by.call('POST', '/webhooks', { body: { url } }));
const ask = (webhookId: string, operation: string, body?: unknown, by = api) =>
  by.call('POST', `/webhooks/${webhookId}/${operation}`, body === undefined ? {} : { body });
const show = async (webhookId: string) => dataOf(await api.call('GET', `/webhooks/${webhookId}`));
const strictPage = z.strictObject({
  ...DeliveryPage.shape,
  deliveries: z.array(z.strictObject(WebhookDelivery.shape)),
});
const listDeliveries = async (webhookId: string, query: Record<string, string> = {}, by = api) =>
  strictPage.parse(dataOf(await by.call('GET', `/webhooks/${webhookId}/deliveries`, { query })));
const awaitDeliveries = (webhookId: string, expected: unknown[]) =>
  vi.waitFor(async () => {
    const { deliveries } = await listDeliveries(webhookId);
    expect(deliveries).toMatchObject(expected);
    return deliveries;
  }, WAIT);

/** Completes one batch, for one event. Returns the batch's ID. */
async function endBatch(by = api, of = customer): Promise<string> {
  const batch = syncOf(newBuy(of, [newAssetNum()]));
  await by.accept(batch);
  return batch.channelOrderId;
}
/** Starts an endpoint and registers it. It gets the event of one batch. */
async function receiveOne(answer?: Answer) {
  const receiver = await receive(answer);
  const webhook = await create(receiver.url);
  await endBatch();
  return { receiver, ...webhook };
}
const readFeed = async (): Promise<FeedEvent[]> => {
  const { events } = dataOf(await api.call('GET', '/events', { query: { limit: '1000' } }));
  return z.array(FeedEvent).parse(events);
};
const orderIds = (received: readonly Received[]) => received.map(({ message }) => message.data.channelOrderId);
const verify = (secret: string, { body, headers }: Received) =>
  new Verifier(secret).verify(body, headers as Record<string, string>);
const disable = (webhookId: string) =>
  sql`update webhook set disabled_time = now(), disabled_cause = 'endpoint_gone' where id = ${webhookId}`.execute(db);
/** Makes messages that wait for their next attempt due. */
const skipPause = (webhookId: string) =>
  sql`update webhook_delivery set due_time = now() where webhook_id = ${webhookId} and state = 'pending'`.execute(db);

describe('a message', () => {
  it('is the event of the feed, signed by Standard Webhooks', async () => {
    const receiver = await receive();
    const { webhookId, secret } = await create(receiver.url);
    const batch = batchOf(newBuy(customer, [newAssetNum()]), deleteAsset(customer, [newAssetNum()]));
    await api.process(batch);
    const [received] = await receiver.awaitCount(1);
    const event = (await readFeed()).at(-1)!;
    expect(event.data).toMatchObject({ channelOrderId: batch.channelOrderId, succeeded: 1, failed: 1 });
    const { type, time, data, id } = event;
    expect(JSON.parse(received!.body)).toEqual({ id, type, timestamp: new Date(time).toISOString(), time, data });
    expect(received!.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Lockstep-Webhooks/1',
      'webhook-id': id,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
    });
    expect(verify(secret, received!)).toEqual(received!.message);
    expect(() => verify(secret, { ...received!, body: `${received!.body} ` })).toThrow('No matching signature');
    expect(() => verify(`whsec_${'A'.repeat(43)}=`, received!)).toThrow('No matching signature');
    const [delivery] = await awaitDeliveries(webhookId, [{ state: 'delivered' }]);
    expect(delivery).toMatchObject({
      messageId: id,
      type: 'batch.completed',
      attempts: [{ status: 204, fault: null, durationMs: expect.any(Number), time: expect.any(Number) }],
      nextAttemptTime: null,
    });
  });

  it('goes to each webhook of the application, and to no other', async () => {
    const [first, second, foreign] = [await receive(), await receive(), await receive()];
    const other = await stack.newApi();
    await create(first.url);
    await create(second.url);
    await create(foreign.url, other);
    const ours = await endBatch();
    const theirs = await endBatch(other, await other.newCustomer());
    for (const receiver of [first, second]) expect(orderIds(await receiver.awaitCount(1))).toEqual([ours]);
    expect(orderIds(await foreign.awaitCount(1))).toEqual([theirs]);
  });

  it('of a webhook with many arrives once, even if two workers send', async () => {
    const receiver = await receive();
    await create(receiver.url);
    const sent = await Promise.all(Array.from({ length: 40 }, () => endBatch()));
    await receiver.awaitCount(sent.length);
    // Any duplicate would arrive before this last message.
    const last = await endBatch();
    await vi.waitFor(() => expect(orderIds(receiver.received)).toContain(last), WAIT);
    expect(orderIds(receiver.received).toSorted()).toEqual([...sent, last].toSorted());
  });

  it('is sent beside more and more others while the endpoint answers quickly, and alone after a failure', async () => {
    const AT_ONCE = 8;
    const held: (() => void)[] = [];
    let phase: 'quick' | 'together' | 'done' = 'quick';
    const receiver = await receive((response, _, index) => {
      if (index === AT_ONCE) phase = 'together';
      const answer = () => response.writeHead(204).end();
      if (phase !== 'together') {
        answer();
        return;
      }
      held.push(answer);
      // If fewer messages may be in flight at once, no more arrive until these are answered.
      if (held.length < AT_ONCE) return;
      phase = 'done';
      for (const each of held.splice(0)) each();
    });
    const { webhookId } = await create(receiver.url);
    const sent = await Promise.all(Array.from({ length: 3 * AT_ONCE }, () => endBatch()));
    await receiver.awaitCount(sent.length);
    const readAtOnce = async () => {
      const { rows } = await sql<{ at_once: number }>`select at_once from webhook where id = ${webhookId}`.execute(db);
      return rows[0]!.at_once;
    };
    await vi.waitFor(async () => expect(await readAtOnce()).toBeGreaterThanOrEqual(AT_ONCE), WAIT);
    expect(phase).toBe('done');
    await receiver.close();
    await endBatch();
    await vi.waitFor(async () => expect(await readAtOnce()).toBe(1), WAIT);
  });

  it('is signed by each secret for a day after its rotation, the newest first', async () => {
    const receiver = await receive();
    const { webhookId, secret: first } = await create(receiver.url);
    const { secret: second } = dataOf(await ask(webhookId, 'rotateSecret'));
    await endBatch();
    const [received] = await receiver.awaitCount(1);
    for (const secret of [first, second]) expect(verify(secret, received!)).toEqual(received!.message);
    const signatures = String(received!.headers['webhook-signature']).split(' ');
    expect(signatures).toHaveLength(2);
    const signedBy = (signature: string) => ({
      ...received!,
      headers: { ...received!.headers, 'webhook-signature': signature },
    });
    expect(verify(second, signedBy(signatures[0]!))).toEqual(received!.message);
    const { secret: third } = dataOf(await ask(webhookId, 'rotateSecret'));
    await endBatch();
    const [, later] = await receiver.awaitCount(2);
    for (const secret of [first, second, third]) expect(verify(secret, later!)).toEqual(later!.message);
    await sql`update webhook_old_secret set end_time = now() where webhook_id = ${webhookId}`.execute(db);
    await endBatch();
    const [, , latest] = await receiver.awaitCount(3);
    expect(String(latest!.headers['webhook-signature'])).not.toContain(' ');
    expect(verify(third, latest!)).toEqual(latest!.message);
  });
});

describe('a failed attempt', () => {
  it('is followed by further ones at growing intervals, with the same ID and the same bytes', async () => {
    const { receiver, webhookId } = await receiveOne((response, _, index) =>
      response.writeHead(index < 2 ? 500 : 200).end(),
    );
    const [first] = await awaitDeliveries(webhookId, [
      { state: 'pending', attempts: [{ status: 500, fault: FAULTS.explainStatus(500) }] },
    ]);
    expect(first!.nextAttemptTime! - first!.attempts[0]!.time).toBeGreaterThanOrEqual(5_000);
    await skipPause(webhookId);
    const [second] = await awaitDeliveries(webhookId, [{ state: 'pending', attempts: [{}, {}] }]);
    expect(second!.nextAttemptTime! - second!.attempts[1]!.time).toBeGreaterThanOrEqual(300_000);
    await skipPause(webhookId);
    await awaitDeliveries(webhookId, [
      { state: 'delivered', attempts: [{ status: 500 }, { status: 500 }, { status: 200, fault: null }] },
    ]);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('is made up for once when the endpoint recovers, without using up the last attempt', async () => {
    const refused = new Set<string>();
    const { webhookId } = await receiveOne((response, { message }) =>
      response.writeHead(refused.has(message.data.channelOrderId) ? 500 : 200).end(),
    );
    await awaitDeliveries(webhookId, [{ state: 'delivered' }]);
    const batches = Array.from({ length: 2 }, () => syncOf(newBuy(customer, [newAssetNum()])));
    for (const { channelOrderId } of batches) refused.add(channelOrderId);
    for (const batch of batches) await api.accept(batch);
    await awaitDeliveries(webhookId, [{ attempts: [{}] }, { attempts: [{}] }, { state: 'delivered' }]);
    // One message has a single attempt left. The other fails again and waits five minutes, whether or not its attempt
    // was made due.
    await sql`update webhook_delivery set attempts = 9, due_time = now() + interval '1 hour'
      where id = (select max(id) from webhook_delivery where webhook_id = ${webhookId})`.execute(db);
    await endBatch();
    const before = await awaitDeliveries(webhookId, [
      { state: 'delivered' },
      { state: 'pending', attempts: [{}] },
      { state: 'pending', attempts: [{}, {}] },
      {},
    ]);
    for (let count = 0; count < 3; count++) await endBatch();
    const delivered = { state: 'delivered' };
    const after = await awaitDeliveries(webhookId, [delivered, delivered, delivered, delivered, {}, {}, {}]);
    expect(after.slice(3)).toEqual(before);
  });

  it('keeps the last attempt for its due time after nine failures, however often the message is replayed', async () => {
    const { receiver, webhookId } = await receiveOne(answerWith(500));
    const [first] = await receiver.awaitCount(1);
    const after = String(BigInt(String(first!.headers['webhook-id'])) - 1n);
    await awaitDeliveries(webhookId, [{ attempts: [{}] }]);
    // Simulates six more failures.
    await sql`update webhook_delivery set attempts = 7 where webhook_id = ${webhookId}`.execute(db);
    await ask(webhookId, 'replay', { after });
    await awaitDeliveries(webhookId, [{ attempts: [{}, {}] }]);
    await ask(webhookId, 'replay', { after });
    const ninth = await awaitDeliveries(webhookId, [{ attempts: [{}, {}, {}] }]);
    await ask(webhookId, 'replay', { after });
    expect(await awaitDeliveries(webhookId, [{ state: 'pending' }])).toEqual(ninth);
    expect(await show(webhookId)).toMatchObject({ state: 'active' });
  });

  it('disables the webhook after ten failures; after enabling it, a replay sends what was missed', async () => {
    let isBroken = true;
    const receiver = await receive((response) => response.writeHead(isBroken ? 503 : 200).end());
    const { webhookId } = await create(receiver.url);
    const [missed, waiting] = [await endBatch(), await endBatch()];
    await awaitDeliveries(webhookId, [{ attempts: [{}] }, { attempts: [{}] }]);
    await sql`update webhook_delivery set attempts = 9, due_time = now() where id = (
      select min(id) from webhook_delivery where webhook_id = ${webhookId})`.execute(db);
    await vi.waitFor(async () => expect(await show(webhookId)).toMatchObject({ state: 'disabled' }), WAIT);
    expect(await show(webhookId)).toMatchObject({
      disabledCause: 'attempts_exhausted',
      disabledTime: expect.any(Number),
    });
    await awaitDeliveries(webhookId, [
      { state: 'failed', nextAttemptTime: null, attempts: [{}] },
      { state: 'failed', nextAttemptTime: null },
    ]);
    expect(stack.logLines.join('')).toMatch(
      new RegExp(`"webhookId":"${webhookId}"[^\n]*"cause":"attempts_exhausted","msg":"webhook disabled"`),
    );
    expect(stack.logLines.join('')).not.toContain(receiver.url);
    expect(await stack.metrics.read()).toMatch(/lockstep_webhooks_disabled_total\{cause="attempts_exhausted"\} [1-9]/);
    const metrics = await stack.metrics.registry.metrics();
    expect(metrics).toMatch(/lockstep_webhook_attempt_seconds_count\{outcome="failed"\} [1-9]/);
    expect(metrics).toMatch(/lockstep_webhook_busy_seconds_total [\d.e-]*[1-9]/);
    for (const operation of ['test', 'replay']) {
      const refusal = refusalOf(await ask(webhookId, operation, operation === 'replay' ? {} : undefined));
      expect(refusal).toMatchObject({ code: '13004', cause: 'webhook_disabled' });
    }
    isBroken = false;
    const feed = await readFeed();
    const before = feed.at(feed.findIndex((event) => batchOfEvent(event).channelOrderId === missed) - 1)!;
    expect(dataOf(await ask(webhookId, 'enable'))).toMatchObject({
      state: 'active',
      disabledTime: null,
      disabledCause: null,
    });
    const came = receiver.received.length;
    const fresh = await endBatch();
    expect(orderIds(await receiver.awaitCount(came + 1)).slice(came)).toEqual([fresh]);
    // A message in flight is not sent a second time.
    await vi.waitFor(async () => {
      const { deliveries } = await listDeliveries(webhookId);
      expect(deliveries.map(({ state }) => state)).not.toContain('pending');
    }, WAIT);
    await ask(webhookId, 'replay', { after: before.id });
    const replayed = orderIds(await receiver.awaitCount(came + 4)).slice(came + 1);
    expect(replayed.toSorted()).toEqual([missed, waiting, fresh].toSorted());
  });
});

describe('a test message', () => {
  it('is sent once, signed, and listed', async () => {
    const receiver = await receive(answerWith(500));
    const { webhookId, secret } = await create(receiver.url);
    const test = WebhookDelivery.parse(dataOf(await ask(webhookId, 'test')));
    expect(test).toMatchObject({
      type: 'webhook.test',
      messageId: `test_${test.deliveryId}`,
      state: 'pending',
      attempts: [],
    });
    const [received] = await receiver.awaitCount(1);
    expect(verify(secret, received!)).toEqual({
      id: test.messageId,
      type: 'webhook.test',
      timestamp: new Date(test.createdTime).toISOString(),
      time: test.createdTime,
      data: {},
    });
    expect(received!.headers['webhook-id']).toBe(test.messageId);
    await awaitDeliveries(webhookId, [{ state: 'failed', attempts: [{ status: 500 }], nextAttemptTime: null }]);
    expect(await show(webhookId)).toMatchObject({ state: 'active' });
  });

  it('is sent before waiting events', async () => {
    const receiver = await receive(answerWith(500));
    const { webhookId } = await create(receiver.url);
    for (let count = 0; count < 5; count++) await endBatch();
    await awaitDeliveries(
      webhookId,
      Array.from({ length: 5 }, () => ({ attempts: [{}] })),
    );
    await sql`begin; update webhook set last_attempt_prompt = null;
      update webhook_delivery set due_time = now() - interval '1 hour' where state = 'pending'; commit`.execute(db);
    await ask(webhookId, 'test');
    const [test] = await vi.waitFor(async () => {
      const { deliveries } = await listDeliveries(webhookId);
      expect(deliveries[0]).toMatchObject({ type: 'webhook.test', state: 'failed' });
      return deliveries;
    }, WAIT);
    expect(test!.attempts).toHaveLength(1);
  });
});

it('a paused webhook keeps its events, ends the attempt in flight, and continues where it stopped', async () => {
  const { receiver, asked, release } = await receiveHeld(204);
  const { webhookId } = await create(receiver.url);
  const sent = [await endBatch()];
  await asked;
  const paused = dataOf(await ask(webhookId, 'pause'));
  expect(paused).toMatchObject({ state: 'paused', pausedTime: expect.any(Number) });
  expect(dataOf(await ask(webhookId, 'pause'))).toEqual(paused);
  release();
  const [first] = await awaitDeliveries(webhookId, [{ state: 'delivered' }]);
  sent.push(await endBatch(), await endBatch());
  // Another webhook has received what the paused one has not.
  const other = await receive();
  const { webhookId: otherId } = await create(other.url);
  await ask(otherId, 'replay', {});
  await other.awaitCount(3);
  expect((await listDeliveries(webhookId)).deliveries).toHaveLength(1);
  for (const [operation, body] of [['test'], ['replay', {}], [`deliveries/${first!.deliveryId}/resend`]] as const) {
    expect(refusalOf(await ask(webhookId, operation, body))).toMatchObject({ cause: 'webhook_paused' });
  }
  expect(dataOf(await ask(webhookId, 'resume'))).toMatchObject({ state: 'active', pausedTime: null });
  expect(orderIds(await receiver.awaitCount(3)).toSorted()).toEqual(sent.toSorted());
  await disable(webhookId);
  for (const operation of ['pause', 'resume']) {
    expect(refusalOf(await ask(webhookId, operation))).toMatchObject({ cause: 'webhook_disabled' });
  }
});

it('after the URL changes, an attempt in flight ends at the old one, and later ones go to the new one', async () => {
  const { receiver: old, asked, release } = await receiveHeld(410);
  const { webhookId } = await create(old.url);
  const batch = await endBatch();
  await asked;
  const next = await receive();
  dataOf(await api.call('PUT', `/webhooks/${webhookId}`, { body: { url: next.url } }));
  release();
  await awaitDeliveries(webhookId, [{ state: 'pending', attempts: [{ status: 410 }] }]);
  await skipPause(webhookId);
  expect(orderIds(await next.awaitCount(1))).toEqual([batch]);
  expect(await show(webhookId)).toMatchObject({ state: 'active' });
});

describe('a message that is sent again', () => {
  const resend = (webhookId: string, deliveryId: string) => ask(webhookId, `deliveries/${deliveryId}/resend`);

  it('has the same ID and body, whether it was delivered, is pending or was a test', async () => {
    let status = 204;
    const { receiver, webhookId } = await receiveOne((response) => response.writeHead(status).end());
    const [first] = await awaitDeliveries(webhookId, [{ state: 'delivered' }]);
    status = 500;
    expect(dataOf(await resend(webhookId, first!.deliveryId))).toMatchObject({ state: 'pending', attempts: [] });
    const [again] = await awaitDeliveries(webhookId, [{ attempts: [{ status: 500 }] }, { state: 'delivered' }]);
    status = 204;
    // Both name the message that is pending.
    expect(dataOf(await resend(webhookId, first!.deliveryId))).toMatchObject({ deliveryId: again!.deliveryId });
    await awaitDeliveries(webhookId, [{ attempts: [{}, { status: 204 }] }, {}]);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    const test = dataOf(await ask(webhookId, 'test'));
    await awaitDeliveries(webhookId, [{ state: 'delivered', attempts: [{}] }, {}, {}]);
    expect(dataOf(await resend(webhookId, test.deliveryId))).toMatchObject({ messageId: test.messageId });
    await awaitDeliveries(webhookId, [{ state: 'delivered', attempts: [{}, {}] }, {}, {}]);
  });

  it('is refused if it is unknown, of another webhook, or its event is gone', async () => {
    const { webhookId } = await receiveOne();
    const [delivery] = await awaitDeliveries(webhookId, [{ state: 'delivered' }]);
    const other = await create('http://127.0.0.1:1/');
    for (const [id, deliveryId] of [
      [webhookId, '9223372036854775808'],
      [other.webhookId, delivery!.deliveryId],
    ] as const) {
      expect(refusalOf(await resend(id, deliveryId))).toMatchObject({ cause: 'delivery_not_found' });
    }
    await sql`delete from event where position = ${delivery!.messageId}`.execute(db);
    expect(refusalOf(await resend(webhookId, delivery!.deliveryId))).toMatchObject({ cause: 'event_deleted' });
    await disable(webhookId);
    expect(refusalOf(await resend(webhookId, delivery!.deliveryId))).toMatchObject({ cause: 'webhook_disabled' });
  });
});

it('a replay of a period sends its events and nothing else', async () => {
  const { receiver, webhookId } = await receiveOne();
  await receiver.awaitCount(1);
  const sent = [await endBatch(), await endBatch()];
  await awaitDeliveries(
    webhookId,
    Array.from({ length: 3 }, () => ({ state: 'delivered' })),
  );
  const positions = (await readFeed()).slice(-3).map(({ id }) => id);
  // The first event is three hours old, the second two, the third one.
  await sql`begin; alter table event disable trigger refuse_change;
    update event set created_time = now() - interval '1 hour' * (${sql.lit(positions[2]!)}::bigint - position + 1)
    where position >= ${sql.lit(positions[0]!)}::bigint;
    alter table event enable trigger refuse_change; commit`.execute(db);
  const hour = 3_600_000;
  dataOf(await ask(webhookId, 'replay', { from: Date.now() - 2.5 * hour, to: Date.now() - 1.5 * hour }));
  expect(orderIds(await receiver.awaitCount(4)).slice(3)).toEqual(sent.slice(0, 1));
  sent.push(await endBatch());
  expect(orderIds(await receiver.awaitCount(5)).slice(4)).toEqual(sent.slice(2));
});

it('an attempt shows the beginning of the answer, which no log line has', async () => {
  const { webhookId } = await receiveOne((response) =>
    response.writeHead(500).end(`no\u0000 stock:\n${'界'.repeat(1_000)}`),
  );
  const [{ attempts }] = (await awaitDeliveries(webhookId, [{ attempts: [{ status: 500 }] }])) as [WebhookDelivery];
  expect(attempts[0]!.answer).toMatch(/^no stock: 界{330,340}$/);
  expect(stack.logLines.join('')).not.toContain('no stock');
});

it('a deleted webhook gets nothing more, even if a message was in flight', async () => {
  const { receiver, asked, release } = await receiveHeld(500);
  const { webhookId } = await create(receiver.url);
  await endBatch();
  await endBatch();
  await asked;
  dataOf(await api.call('DELETE', `/webhooks/${webhookId}`));
  release();
  const states = () =>
    sql<{ state: string; due_time: Date | null; claimed_until: Date | null }>`
      select distinct state, due_time, claimed_until from webhook_delivery where webhook_id = ${webhookId}`.execute(db);
  await vi.waitFor(
    async () => expect((await states()).rows).toEqual([{ state: 'failed', due_time: null, claimed_until: null }]),
    WAIT,
  );
  expect(receiver.received).toHaveLength(1);
  expect(refusalOf(await api.call('GET', `/webhooks/${webhookId}`))).toMatchObject({ cause: 'webhook_not_found' });
});

it('a webhook whose row is locked does not delay the others, and its attempt is recorded when the row is released', async () => {
  const { receiver: held, asked, release } = await receiveHeld(204);
  const { webhookId } = await create(held.url);
  await endBatch();
  await asked;
  await db.transaction().execute(async (session) => {
    await sql`select from webhook where id = ${webhookId} for update`.execute(session);
    release();
    const other = await stack.newApi();
    const its = await other.newCustomer();
    const receiver = await receive();
    const others = await Promise.all(Array.from({ length: 5 }, () => create(receiver.url, other)));
    await Promise.all(Array.from({ length: 10 }, () => endBatch(other, its)));
    await vi.waitFor(async () => {
      for (const each of others) {
        const { deliveries } = await listDeliveries(each.webhookId, {}, other);
        expect(deliveries.map(({ state }) => state)).toEqual(Array.from({ length: 10 }, () => 'delivered'));
      }
    }, WAIT);
  });
  await awaitDeliveries(webhookId, [{ state: 'delivered', attempts: [{ status: 204 }] }]);
  expect(held.received).toHaveLength(1);
});

it('a suspended application gets its messages when it is approved again', async () => {
  const other = await stack.newApi();
  const receiver = await receive();
  await create(receiver.url, other);
  const batch = await endBatch(other, await other.newCustomer());
  await receiver.awaitCount(1);
  expect(orderIds(receiver.received)).toEqual([batch]);
  const setStatus = (status: string) =>
    sql`update application set status = ${status} where app_key = ${other.credentials.appKey}`.execute(db);
  await setStatus('suspended');
  const mine = await receive();
  await create(mine.url);
  await sql`
    insert into webhook_delivery (webhook_id, type) select max(id) - 1, 'webhook.test' from webhook`.execute(db);
  await endBatch();
  await mine.awaitCount(1);
  expect(receiver.received).toHaveLength(1);
  await setStatus('approved');
  await receiver.awaitCount(2);
});
