import type { WebhookId } from '@lockstep/contract';
import { inMs, inTransaction } from '@lockstep/platform';
import { registerWebhookGauges } from '@lockstep/webhooks';
import { AT_ONCE_OF_FAILING, type Claim, claimDeliveries, giveBack, recordAttempts } from '@lockstep/webhooks/testing';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Api, dataOf } from '../../harness/api.ts';
import { untilDoneOrWaiting } from '../../harness/databases/waiting.ts';
import { numberAll } from '../../harness/orders/events.ts';
import { batchOf, newAssetNum, newBuy } from '../../harness/orders/orders.ts';
import { testStack } from '../../harness/stack.ts';

/**
 * Claims, recorded attempts and metrics of webhooks (rules 6.8), without a worker. One worker at a time checks a
 * webhook for messages; the others skip it.
 */
let api: Api;
let webhookId: WebhookId;

const { stack } = await testStack({ worker: false, webhookAllowPrivate: true });
beforeEach(async () => {
  await sql`delete from webhook`.execute(stack.db);
  api = await stack.newApi();
  ({ webhookId } = await create());
});

const create = (by = api): Promise<{ webhookId: WebhookId }> =>
  by.call('POST', '/webhooks', { body: { url: 'http://127.0.0.1:1/' } }).then(dataOf);

const delivered = { status: 204, fault: null, startedMs: 0, durationMs: 7, busyMs: 0, detail: null, answer: null };

async function claimTest(): Promise<Claim> {
  dataOf(await api.call('POST', `/webhooks/${webhookId}/test`));
  const { claims } = await claimDeliveries(stack.db, []);
  expect(claims).toHaveLength(1);
  return claims[0]!;
}
const readDelivery = async () => {
  const { rows } = await sql`
    select state, claims, claimed_until is not null as claimed from webhook_delivery`.execute(stack.db);
  return rows[0];
};

async function createWithMessage(by = api): Promise<string> {
  const { webhookId } = await create(by);
  dataOf(await by.call('POST', `/webhooks/${webhookId}/test`));
  return webhookId;
}

/** Returns the webhooks to which a worker may send a message now. */
async function look(): Promise<string[]> {
  const { claims } = await claimDeliveries(stack.db, []);
  return claims.map(({ webhookId }) => webhookId).toSorted();
}

it('a webhook that another worker is checking is skipped, and others are not', async () => {
  const [first, second] = [await createWithMessage(), await createWithMessage()];
  const { end, looking } = await inTransaction(stack.db, async (trx) => {
    await sql`select from webhook where id = ${first} for no key update`.execute(trx);
    const looking = look();
    return { end: await untilDoneOrWaiting(stack.db, looking, 1), looking };
  });
  expect({ end, found: await looking }).toEqual({ end: 'done', found: [second] });
  expect(await look()).toEqual([first]);
});

it('two workers never claim the same delivery', async () => {
  const [first, second] = [await createWithMessage(), await createWithMessage()];
  const { one, other } = await inTransaction(stack.db, async (trx) => {
    await sql`select from webhook_delivery where webhook_id = ${first} for update`.execute(trx);
    // This worker has locked the webhooks and read their messages. It waits to record its claim.
    const one = look();
    expect(await untilDoneOrWaiting(stack.db, one, 1)).toBe('waiting');
    const other = look();
    await untilDoneOrWaiting(stack.db, other, 2);
    return { one, other };
  });
  expect(await Promise.all([one, other])).toEqual([[first, second].toSorted(), []]);
  expect(await look()).toEqual([]);
});

it('a worker sends few messages at once to failing endpoints, and as many as before to others', async () => {
  const [first, second] = [await createWithMessage(), await createWithMessage()];
  const failing = await stack.newApi();
  const webhookIds: string[] = [];
  for (let count = 0; count < 2 * AT_ONCE_OF_FAILING; count++) webhookIds.push(await createWithMessage(failing));
  await sql`update webhook set failing_since = now(), last_attempt_prompt = false
    where id = any (${webhookIds}::bigint[])`.execute(stack.db);
  const { claims } = await claimDeliveries(stack.db, []);
  const claimed = claims.map(({ webhookId }) => webhookId as string);
  expect(claimed.filter((id) => webhookIds.includes(id))).toHaveLength(AT_ONCE_OF_FAILING);
  expect(claimed).toEqual(expect.arrayContaining([first, second]));
  expect(await claimDeliveries(stack.db, claims)).toEqual({ claims: [], more: false });
  const others = claims.filter(({ isFailing }) => !isFailing);
  expect((await claimDeliveries(stack.db, others)).claims).toHaveLength(AT_ONCE_OF_FAILING);
});

it('endpoints are trusted by their last attempt', async () => {
  const [prompt, slow] = [await createWithMessage(), await createWithMessage()];
  await sql`update webhook set last_attempt_prompt = id = ${prompt} where id in (${prompt}, ${slow})`.execute(stack.db);
  const untried = await createWithMessage();
  const { claims } = await claimDeliveries(stack.db, []);
  expect(Object.fromEntries(claims.map(({ webhookId, trust }) => [webhookId, trust]))).toEqual({
    [prompt]: 'trusted',
    [slow]: 'distrusted',
    [untried]: 'untried',
  });
});

it('an attempt has its start time by the clock of the database, even if that of its worker is an hour behind', async () => {
  const claim = await claimTest();
  const startedMs = performance.now() - 60_000;
  const readNow = async () =>
    (await sql<{ now: number }>`select ${inMs('now()')} as now`.execute(stack.db)).rows[0]!.now;
  const before = await readNow();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
  const recorded = await recordAttempts(stack.db, [{ claim, outcome: { ...delivered, startedMs } }]);
  vi.useRealTimers();
  expect(recorded).toEqual([{ state: 'recorded', disabledCause: null }]);
  const { deliveries } = dataOf(await api.call('GET', `/webhooks/${webhookId}/deliveries`));
  const [{ time, ...attempt }] = deliveries[0].attempts;
  expect(attempt).toEqual({ status: 204, durationMs: 7, fault: null, answer: null });
  expect([before - time < 1_800_000, time < before]).toEqual([true, true]);
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

describe('a filter', () => {
  const EVENTS = 2_500;

  /** Inserts events of a batch, as numbering does, of which the last one has another type. Returns their positions. */
  async function insertEvents(): Promise<{ first: string; last: string }> {
    const customer = await api.newCustomer();
    await api.accept({ ...batchOf(newBuy(customer, [newAssetNum()])), syncMode: 'sync' });
    await numberAll(stack.db);
    const { rows } = await sql<{ first: string; last: string }>`
      with counted as (update event_counter set last_position = last_position + ${EVENTS} returning last_position),
      added as (
        insert into event (application_id, position, batch_id, type, happened_time, succeeded, failed, cancelled)
        select application_id, last_position - ${EVENTS} + n, batch_id, 'batch.retried', happened_time, 1, 0, 0
        from counted, event, generate_series(1, ${EVENTS}::int) as n
        where application_id = (select application_id from webhook where id = ${webhookId})
        returning position
      )
      select min(position) as first, max(position) as last from added`.execute(stack.db);
    return rows[0]!;
  }
  const readPlace = async () => {
    const { rows } = await sql`
      select after_position, replay_until from webhook where id = ${webhookId}`.execute(stack.db);
    return rows[0];
  };
  /** Claims until there is nothing more. Returns how often. */
  async function claimAll(): Promise<number> {
    for (let rounds = 1; ; rounds++) {
      if (!(await claimDeliveries(stack.db, [])).more) return rounds;
    }
  }
  const countDeliveries = async () => (await sql`select from webhook_delivery`.execute(stack.db)).rows.length;

  it('that matches nothing is passed in bounded steps, and then costs no further one', async () => {
    const { last } = await insertEvents();
    await api.call('PUT', `/webhooks/${webhookId}`, { body: { types: ['asset.locked'] } });
    const rounds = await claimAll();
    expect(rounds).toBeGreaterThanOrEqual(3);
    expect(rounds).toBeLessThanOrEqual(5);
    expect(await readPlace()).toEqual({ after_position: last, replay_until: null });
    expect(await claimDeliveries(stack.db, [])).toEqual({ claims: [], more: false });
    dataOf(await api.call('POST', `/webhooks/${webhookId}/replay`, { body: {} }));
    await claimAll();
    expect(await readPlace()).toEqual({ after_position: last, replay_until: null });
    expect(await countDeliveries()).toBe(0);
  });

  it('by types finds the one event among thousands, and by channels those of a channel', async () => {
    const { last } = await insertEvents();
    await api.call('PUT', `/webhooks/${webhookId}`, { body: { types: ['batch.completed'] } });
    await claimAll();
    expect({ place: await readPlace(), count: await countDeliveries() }).toMatchObject({
      place: { after_position: last },
      count: 1,
    });
    await api.call('PUT', `/webhooks/${webhookId}`, { body: { types: null, channelCodes: ['elsewhere'] } });
    dataOf(await api.call('POST', `/webhooks/${webhookId}/replay`, { body: {} }));
    await claimAll();
    expect(await countDeliveries()).toBe(1);
  });

  it('does not stop a replay that waits for room from leaving it to new events first', async () => {
    const { last } = await insertEvents();
    await sql`update webhook set after_position = ${last}::bigint - 1, replay_after = 0, replay_until = ${last}::bigint - 1
      where id = ${webhookId}`.execute(stack.db);
    await claimDeliveries(stack.db, []);
    expect(await readPlace()).toMatchObject({ after_position: last });
    await claimAll();
    // A few hundred wait; the rest stays in the feed.
    expect(await countDeliveries()).toBeLessThan(EVENTS / 2);
    expect(await readPlace()).toMatchObject({ replay_until: String(BigInt(last) - 1n) });
  });
});

describe('a webhook that fails', () => {
  const events = async () => {
    await numberAll(stack.db);
    const { rows } = await sql<{ type: string; data: { webhookId: string } }>`
      select type, data from event where type like 'webhook.%' order by position`.execute(stack.db);
    return rows.map(({ type, data }) => ({ type, ...data }));
  };
  const failed = { ...delivered, status: 500, fault: 'answered 500' };

  it('for half an hour is told once for each series, to other webhooks but not to itself', async () => {
    const other = await create();
    const fail = async (outcome: Omit<typeof failed, 'fault'> & { fault: string | null } = failed) =>
      await recordAttempts(stack.db, [
        { claim: await claimTest(), outcome: { ...outcome, startedMs: performance.now() } },
      ]);
    const age = () => sql`update webhook set failing_since = now() - interval '31 minutes' where id = ${webhookId}`;
    await fail();
    expect(await events()).toEqual([]);
    for (let series = 1; series <= 2; series++) {
      await age().execute(stack.db);
      await fail();
      await fail();
      const told = { type: 'webhook.failing', webhookId, cause: null, sinceTime: expect.any(Number) };
      expect(await events()).toEqual(Array.from({ length: series }, () => told));
      const { claims } = await claimDeliveries(stack.db, []);
      expect(claims.map((claim) => [claim.webhookId, claim.told.type])).toEqual([[other.webhookId, 'webhook.failing']]);
      await recordAttempts(
        stack.db,
        claims.map((claim) => ({ claim, outcome: delivered })),
      );
      await fail(delivered);
      await fail();
    }
  });

  it('is told as disabled in the transaction that disables it, once', async () => {
    const before = (await events()).length;
    const claim = await claimTest();
    const gone = { ...failed, status: 410 };
    await recordAttempts(stack.db, [{ claim, outcome: gone }]);
    await recordAttempts(stack.db, [{ claim, outcome: gone }]);
    expect((await events()).slice(before)).toEqual([
      { type: 'webhook.disabled', webhookId, cause: 'endpoint_gone', sinceTime: expect.any(Number) },
    ]);
  });

  it('at a URL that was replaced meanwhile is neither disabled nor counted as failing', async () => {
    const claim = await claimTest();
    dataOf(await api.call('PUT', `/webhooks/${webhookId}`, { body: { url: 'http://127.0.0.1:2/' } }));
    await recordAttempts(stack.db, [{ claim, outcome: { ...failed, status: 410 } }]);
    const { rows } = await sql`
      select disabled_cause, failing_since from webhook where id = ${webhookId}`.execute(stack.db);
    expect(rows).toEqual([{ disabled_cause: null, failing_since: null }]);
  });

  it('gets its backlog soon at another URL, and what failed for the tenth time at the old one', async () => {
    const claim = await claimTest();
    await sql`insert into webhook_delivery (webhook_id, position, type, attempts, due_time)
      select ${webhookId}, n, 'batch.completed', n, now() + interval '1 day'
      from generate_series(7, 9) as n`.execute(stack.db);
    dataOf(await api.call('PUT', `/webhooks/${webhookId}`, { body: { url: 'http://127.0.0.1:2/' } }));
    await recordAttempts(stack.db, [{ claim: { ...claim, isTest: false, attempts: 9 }, outcome: failed }]);
    const { rows } = await sql<{ position: string | null; state: string; isSoon: boolean }>`
      select position, state, due_time < now() + interval '1 hour' as "isSoon" from webhook_delivery
      order by id`.execute(stack.db);
    expect(rows.map(({ position, state, isSoon }) => [position, state, isSoon])).toEqual([
      [null, 'pending', true],
      ['7', 'pending', true],
      ['8', 'pending', true],
      ['9', 'pending', false],
    ]);
  });
});

/** Reads a gauge of a process that has not read it before. */
async function readGauge(name: string) {
  const registry = new Registry();
  registerWebhookGauges(registry, stack.db);
  return (await registry.getSingleMetric(name)!.get()).values;
}

it('the gauges count webhooks, and due messages not in flight, of approved applications', async () => {
  const overdue = async () => (await readGauge('lockstep_webhook_overdue_seconds'))[0]!.value;
  const another = await create();
  await sql`
    update webhook set disabled_time = now(), disabled_cause = 'endpoint_gone'
    where id = ${another.webhookId}`.execute(stack.db);
  expect(await readGauge('lockstep_webhooks')).toMatchObject([
    { labels: { state: 'active' }, value: 1 },
    { labels: { state: 'paused' }, value: 0 },
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
  const read = async () => {
    const values = await readGauge('lockstep_webhook_lag_seconds');
    return Object.fromEntries(values.map(({ labels, value }) => [labels.endpoints, value]));
  };
  expect(await read()).toEqual({ answering: 0, failing: 0 });
  const customer = await api.newCustomer();
  const batches = Array.from({ length: 2 }, () => batchOf(newBuy(customer, [newAssetNum()])));
  for (const batch of batches) await api.accept({ ...batch, syncMode: 'sync' });
  await numberAll(stack.db);
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
  const another = await create();
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
