import type { WebhookId } from '@lockstep/contract';
import { numberEvents } from '@lockstep/orders/testing';
import { inTransaction } from '@lockstep/platform';
import { registerWebhookGauges } from '@lockstep/webhooks';
import { type Claim, claimDeliveries, giveBack, recordAttempts } from '@lockstep/webhooks/testing';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { beforeEach, expect, it } from 'vitest';
import { type Api, dataOf } from '../../harness/api.ts';
import { batchOf, newAssetNum, newBuy } from '../../harness/orders/orders.ts';
import { testStack } from '../../harness/stack.ts';

/** Recorded attempts and webhook metrics (rules 6.8), without a worker. */
let api: Api;
let webhookId: WebhookId;

const { stack } = await testStack({ worker: false, webhookAllowPrivate: true });
beforeEach(async () => {
  await sql`delete from webhook`.execute(stack.db);
  api = await stack.newApi();
  ({ webhookId } = dataOf(await api.call('POST', '/webhooks', { body: { url: 'http://127.0.0.1:1/' } })));
});

const startedTime = new Date('2026-01-02T03:04:05.678Z');
const delivered = { status: 204, fault: null, startedTime, durationMs: 7, busyMs: 0, detail: null };

async function claimTest(): Promise<Claim> {
  dataOf(await api.call('POST', `/webhooks/${webhookId}/test`));
  const { claims } = await claimDeliveries(stack.db, []);
  expect(claims).toHaveLength(1);
  return claims[0]!;
}
const readDelivery = async () => {
  const { rows } = await sql`select state, claims, claimed_until is not null as claimed from webhook_delivery`.execute(
    stack.db,
  );
  return rows[0];
};

it('an attempt has its start time', async () => {
  const claim = await claimTest();
  expect(await recordAttempts(stack.db, [{ claim, outcome: delivered }])).toEqual([
    { state: 'recorded', disabledCause: null },
  ]);
  const { deliveries } = dataOf(await api.call('GET', `/webhooks/${webhookId}/deliveries`));
  expect(deliveries[0].attempts).toEqual([{ time: startedTime.getTime(), status: 204, durationMs: 7, fault: null }]);
});

it('late results of an earlier claim are neither recorded nor released', async () => {
  const first = await claimTest();
  await sql`update webhook_delivery set claimed_until = now()`.execute(stack.db);
  const { claims } = await claimDeliveries(stack.db, []);
  expect(claims).toMatchObject([{ deliveryId: first.deliveryId, claims: 2 }]);
  expect(await recordAttempts(stack.db, [{ claim: first, outcome: delivered }])).toMatchObject([{ state: 'late' }]);
  await giveBack(stack.db, [first]);
  expect(await readDelivery()).toEqual({ state: 'pending', claims: 2, claimed: true });
  await giveBack(stack.db, claims);
  expect(await readDelivery()).toEqual({ state: 'pending', claims: 2, claimed: false });
});

it('the gauges count webhooks, and due messages not in flight, of approved applications', async () => {
  const registry = new Registry();
  registerWebhookGauges(registry, stack.db);
  const read = async (name: string) => (await registry.getSingleMetric(name)!.get()).values;
  const overdue = async () => (await read('lockstep_webhook_overdue_seconds'))[0]!.value;
  const another = await api.call('POST', '/webhooks', { body: { url: 'http://127.0.0.1:1/' } }).then(dataOf);
  await sql`update webhook set disabled_time = now(), disabled_cause = 'endpoint_gone' where id = ${another.webhookId}`.execute(
    stack.db,
  );
  expect(await read('lockstep_webhooks')).toMatchObject([
    { labels: { state: 'active' }, value: 1 },
    { labels: { state: 'disabled' }, value: 1 },
  ]);
  expect(await overdue()).toBe(0);
  const claim = await claimTest();
  await sql`update webhook_delivery set due_time = now() - interval '1 hour'`.execute(stack.db);
  expect(await overdue()).toBe(0);
  await giveBack(stack.db, [claim]);
  expect(await overdue()).toBeGreaterThanOrEqual(3_600);
  await sql`update application set status = 'suspended'`.execute(stack.db);
  expect(await overdue()).toBe(0);
});

it('the lag is the age of the oldest event that an endpoint has not received, with or without a message', async () => {
  const registry = new Registry();
  registerWebhookGauges(registry, stack.db);
  const read = async () => {
    const { values } = await registry.getSingleMetric('lockstep_webhook_lag_seconds')!.get();
    return Object.fromEntries(values.map(({ labels, value }) => [labels.endpoints, value]));
  };
  expect(await read()).toEqual({ answering: 0, failing: 0 });
  const customer = await api.newCustomer();
  const batches = Array.from({ length: 2 }, () => batchOf(newBuy(customer, [newAssetNum()])));
  for (const batch of batches) await api.accept({ ...batch, syncMode: 'sync' });
  while ((await numberEvents(stack.db)).count > 0);
  // There are no messages yet. The first event is two hours old, the second one hour.
  await sql`alter table event disable trigger refuse_change`.execute(stack.db);
  await sql`update event e set created_time = now() - interval '1 hour' * (
    select count(*) from event later where later.application_id = e.application_id and later.position >= e.position)
    `.execute(stack.db);
  await sql`alter table event enable trigger refuse_change`.execute(stack.db);
  expect((await read()).answering).toBeGreaterThanOrEqual(7_200);
  const { claims } = await claimDeliveries(stack.db, []);
  expect(claims).toHaveLength(1);
  expect((await read()).answering).toBeGreaterThanOrEqual(7_200);
  await recordAttempts(stack.db, [{ claim: claims[0]!, outcome: delivered }]);
  expect((await read()).answering).toBeLessThan(7_200);
  expect((await read()).answering).toBeGreaterThanOrEqual(3_600);
  const [next] = (await claimDeliveries(stack.db, [])).claims;
  await recordAttempts(stack.db, [{ claim: next!, outcome: { ...delivered, status: 500, fault: 'answered 500' } }]);
  expect(await read()).toEqual({ answering: 0, failing: expect.any(Number) });
  expect((await read()).failing).toBeGreaterThanOrEqual(3_600);
  await sql`update application set status = 'suspended'`.execute(stack.db);
  expect(await read()).toEqual({ answering: 0, failing: 0 });
});

it('the attempts of a group are recorded one by one in order; those of a locked webhook stay unrecorded', async () => {
  const another = await api.call('POST', '/webhooks', { body: { url: 'http://127.0.0.1:1/' } }).then(dataOf);
  for (const id of [webhookId, webhookId, another.webhookId]) {
    dataOf(await api.call('POST', `/webhooks/${id}/test`));
  }
  await sql`update webhook set at_once = 2, last_attempt_prompt = true`.execute(stack.db);
  const { claims } = await claimDeliveries(stack.db, []);
  expect(claims).toHaveLength(3);
  const failed = { ...delivered, status: 500, fault: 'answered 500' };
  const ours = claims.filter((claim) => claim.webhookId === webhookId);
  const theirs = claims.find((claim) => claim.webhookId !== webhookId)!;
  const group = [
    { claim: theirs, outcome: delivered },
    { claim: ours[0]!, outcome: failed },
    { claim: ours[1]!, outcome: delivered },
    { claim: { ...ours[1]!, claims: 0 }, outcome: failed },
  ];
  const found = await inTransaction(stack.db, async (trx) => {
    await sql`select from webhook where id = ${another.webhookId} for update`.execute(trx);
    return await recordAttempts(stack.db, group);
  });
  expect(found.map(({ state }) => state)).toEqual(['busy', 'recorded', 'recorded', 'late']);
  const { rows } = await sql`select at_once, failing_since from webhook order by id`.execute(stack.db);
  // One entry after the failure, and one after the delivery.
  expect(rows).toEqual([
    { at_once: 2, failing_since: null },
    { at_once: 2, failing_since: null },
  ]);
  expect(await recordAttempts(stack.db, group.slice(0, 1))).toMatchObject([{ state: 'recorded' }]);
});
