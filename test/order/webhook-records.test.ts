import type { WebhookId } from '@lockstep/contract';
import { registerWebhookGauges } from '@lockstep/webhooks';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Claim, claimDeliveries } from '../../packages/webhooks/src/claim.ts';
import { giveBack, recordAttempt } from '../../packages/webhooks/src/record.ts';
import { type Api, dataOf } from '../harness/api.ts';
import { type Stack, startStack } from '../harness/stack.ts';

/** What is recorded and told of messages to webhooks (rules 6.8), without a worker. */
let stack: Stack;
let api: Api;
let webhookId: WebhookId;

beforeAll(async () => {
  stack = await startStack({ worker: false, webhookAllowPrivate: true });
});
afterAll(() => stack.close());
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

it('an attempt has the time at which it began', async () => {
  const claim = await claimTest();
  expect(await recordAttempt(stack.db, claim, delivered)).toEqual({ isRecorded: true, disabledCause: null });
  const { deliveries } = dataOf(await api.call('GET', `/webhooks/${webhookId}/deliveries`));
  expect(deliveries[0].attempts).toEqual([{ time: startedTime.getTime(), status: 204, durationMs: 7, fault: null }]);
});

it('what an earlier claim brings late is neither recorded nor given back', async () => {
  const first = await claimTest();
  await sql`update webhook_delivery set claimed_until = now()`.execute(stack.db);
  const { claims } = await claimDeliveries(stack.db, []);
  expect(claims).toMatchObject([{ deliveryId: first.deliveryId, claims: 2 }]);
  expect(await recordAttempt(stack.db, first, delivered)).toMatchObject({ isRecorded: false });
  await giveBack(stack.db, [first]);
  expect(await readDelivery()).toEqual({ state: 'pending', claims: 2, claimed: true });
  await giveBack(stack.db, claims);
  expect(await readDelivery()).toEqual({ state: 'pending', claims: 2, claimed: false });
});

it('the gauges count webhooks, and what is due and not under way of applications that are approved', async () => {
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
