import { agedAccess } from '@lockstep/access';
import { agedOrders } from '@lockstep/orders';
import { type Aged, Cleanup, createLogger, registerCleanupGauge } from '@lockstep/platform';
import { agedWebhooks } from '@lockstep/webhooks';
import { type RawBuilder, sql } from 'kysely';
import { Registry } from 'prom-client';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { testStack } from '../harness/stack.ts';

/** What is deleted because it is too old: when, in which steps, and what tells of it. */
const DAY_SECONDS = 86_400;
const days = { failedOrderDays: 30, eventDays: 7 };
const AGED: readonly Aged[] = [...agedAccess, ...agedOrders(days), ...agedWebhooks(days)];

/** For each kind how old its rows become, and how to insert rows with the times of `at (n, time)`. */
const KINDS: Record<string, { maxAgeSeconds: number; insert: (at: RawBuilder<unknown>) => RawBuilder<unknown> }> = {
  access_token: {
    maxAgeSeconds: 0,
    insert: (at) => sql`
      insert into access_token (token_hash, application_id, generation, scopes, expires_time)
      select int4send(n), 1, 0, '{auth_order}', time from ${at}`,
  },
  nonce: {
    maxAgeSeconds: 600,
    insert: (at) => sql`insert into nonce (application_id, nonce, used_time) select 1, 'nonce-' || n, time from ${at}`,
  },
  kept_answer: {
    maxAgeSeconds: DAY_SECONDS,
    insert: (at) => sql`
      insert into kept_answer (application_id, key_hash, sealed, kept_time)
      select 1, sha256(int4send(n)), '', time from ${at}`,
  },
  login_failure: {
    maxAgeSeconds: 0,
    insert: (at) => sql`
      insert into login_failure (kind, name_hash, party, failed_times, expires_time)
      select 'user', int4send(n), '1', '{}', time from ${at}`,
  },
  refused_call: {
    maxAgeSeconds: 7 * DAY_SECONDS,
    insert: (at) => sql`
      insert into refused_call (application_id, time, operation, code, cause, args, faults, request_id, asset_nums, size)
      select 1, time, 'lockAssets', '13004', 'field_missing', '{}', '[]', 'call-' || n, '{}', 0 from ${at}`,
  },
  refusal_count: {
    maxAgeSeconds: 7 * DAY_SECONDS,
    insert: (at) => sql`
      insert into refusal_count (application_id, minute, operation, cause, count)
      select n, time, 'lockAssets', 'field_missing', 1 from ${at}`,
  },
  failed_order: {
    maxAgeSeconds: 30 * DAY_SECONDS,
    insert: (at) => sql`
      with outcome as (
        insert into license_order (id, order_type, customer_id, cause, args, assets, products)
        select n, 'new_buy', '1', 'asset_not_found', '["8"]', 0, 0 from ${at}
      )
      insert into failed_order (license_order_id, payload_version, content, asset_nums, failed_time)
      select n, 1, '[]', '{}', time from ${at}`,
  },
  event: {
    maxAgeSeconds: 7 * DAY_SECONDS,
    insert: (at) => sql`
      insert into event (application_id, position, batch_id, type, happened_time, succeeded, failed, cancelled, created_time)
      select 1, n, 1, 'batch.retried', time, 0, 1, 0, time from ${at}`,
  },
  batch_trace: {
    maxAgeSeconds: 7 * DAY_SECONDS,
    insert: (at) => sql`
      insert into batch_trace (batch_id, traceparent, created_time) select n, repeat('0', 55), time from ${at}`,
  },
  order_activity: {
    maxAgeSeconds: 14 * DAY_SECONDS,
    insert: (at) => sql`
      insert into order_activity (period_start, accepted, succeeded, failed)
      select time + make_interval(secs => n * 1e-6), 1, 1, 0 from ${at}`,
  },
  channel_activity: {
    maxAgeSeconds: 2 * 3_600,
    insert: (at) => sql`
      insert into channel_activity (channel_id, period_start, queued_before, accepted, succeeded, failed)
      select n, time, 0, 1, 1, 0 from ${at}`,
  },
  failure_activity: {
    maxAgeSeconds: 14 * DAY_SECONDS,
    insert: (at) => sql`
      insert into failure_activity (minute_start, cause, failed) select time, 'cause-' || n, 1 from ${at}`,
  },
  webhook_delivery: {
    maxAgeSeconds: 7 * DAY_SECONDS,
    insert: (at) => sql`
      with webhook as (
        insert into webhook (application_id, url, secret, after_position) values (1, 'https://a.example', '\\x00', 0) returning id
      )
      insert into webhook_delivery (webhook_id, position, type, created_time)
      select id, n, 'batch.completed', time from ${at}, webhook`,
  },
  webhook_old_secret: {
    maxAgeSeconds: 0,
    insert: (at) => sql`
      with webhook as (
        insert into webhook (application_id, url, secret, after_position) values (1, 'https://a.example', '\\x00', 0) returning id
      )
      insert into webhook_old_secret (webhook_id, secret, end_time) select id, '\\x00', time from ${at}, webhook`,
  },
  webhook: {
    maxAgeSeconds: 7 * DAY_SECONDS,
    insert: (at) => sql`
      insert into webhook (application_id, url, after_position, deleted_time) select 1, 'https://a.example', 0, time from ${at}`,
  },
};
const kindOf = (name: string) => ({ ...KINDS[name]!, aged: AGED.find(({ table }) => table === name)! });

const { stack } = await testStack({ worker: false });
beforeAll(async () => {
  await stack.newApi();
});
beforeEach(async () => {
  for (const { table } of AGED) await sql`delete from ${sql.table(table)}`.execute(stack.db);
});

/** The number of the next row, so that each has one of its own. */
let next = 1;

/** Inserts rows of a kind that have been too old for so many seconds. */
async function seed(kind: string, rows: number, overdueSeconds: number): Promise<void> {
  const { maxAgeSeconds, insert } = kindOf(kind);
  const at = sql`(
    select n::int as n, now() - make_interval(secs => ${maxAgeSeconds + overdueSeconds}) as time
    from generate_series(${next}::int, ${next + rows - 1}::int) as n
  ) as at`;
  await insert(at).execute(stack.db);
  next += rows;
}

/** How many seconds each row of a kind is too old, the oldest first; less than 0 if it is not. */
async function readOverdue(kind: string): Promise<number[]> {
  const { maxAgeSeconds, aged } = kindOf(kind);
  const { rows } = await sql<{ overdue: number }>`
    select round(extract(epoch from now() - ${sql.ref(aged.timeColumn)}) - ${maxAgeSeconds})::int as overdue
    from ${sql.table(aged.table)} where ${sql.ref(aged.timeColumn)} is not null
    order by ${sql.ref(aged.timeColumn)}`.execute(stack.db);
  return rows.map(({ overdue }) => overdue);
}

/** A cleanup as a worker has it, with its own log and metrics. */
function newCleanup(aged = AGED) {
  const lines: { level: number; kind: string }[] = [];
  const log = createLogger(
    { name: 'test', level: 'info', secrets: new Set() },
    { write: (line) => void lines.push(JSON.parse(line)) },
  );
  const registry = new Registry();
  registerCleanupGauge(registry, stack.db, aged);
  const cleanup = new Cleanup({ db: stack.db, log, registry, aged });
  const read = async (name: string) => {
    const metric = await registry.getSingleMetric(name)!.get();
    return Object.fromEntries(metric.values.map(({ labels, value }) => [labels.kind, value])) as Record<string, number>;
  };
  return {
    cleanup,
    lines,
    deleted: () => read('lockstep_cleanup_deleted_rows_total'),
    behind: () => read('lockstep_cleanup_behind_seconds'),
  };
}

it('takes care of everything that has an age', () => {
  expect(AGED.map(({ table }) => table)).toEqual(Object.keys(KINDS));
});

describe.each(Object.keys(KINDS))('of %s', (kind) => {
  it('deletes what is too old and nothing else, and says for how long the oldest should have been gone', async () => {
    const { cleanup, deleted, behind, lines } = newCleanup();
    expect((await behind())[kind]).toBe(0);
    await seed(kind, 3, -30);
    expect((await behind())[kind]).toBe(0);
    await seed(kind, 2, 0);
    await seed(kind, 1, 1_000);
    const seconds = (await behind())[kind]!;
    expect(seconds).toBeGreaterThanOrEqual(1_000);
    expect(seconds).toBeLessThan(1_100);
    await cleanup.run();
    expect((await behind())[kind]).toBe(0);
    expect((await readOverdue(kind)).every((each) => each < 0)).toBe(true);
    expect(await readOverdue(kind)).toHaveLength(3);
    expect((await deleted())[kind]).toBe(3);
    expect(lines).toEqual([]);
  });

  it('finds the oldest in an index, however many there are', async () => {
    const { table, timeColumn } = kindOf(kind).aged;
    const { rows } = await sql<{ name: string }>`
      select indexrelid::regclass::text as name from pg_index
      join pg_attribute on attrelid = indrelid and attnum = indkey[0]
      where indrelid = ${table}::regclass and attname = ${timeColumn}`.execute(stack.db);
    expect(rows).toHaveLength(1);
  });
});

it('much is deleted in steps, by two at once, each row once, and other kinds do not wait for it', async () => {
  await seed('nonce', 4_500, 10);
  await seed('event', 1, 10);
  const cleaners = [newCleanup(), newCleanup()];
  await Promise.all(cleaners.map(({ cleanup }) => cleanup.run()));
  const deleted = await Promise.all(cleaners.map((each) => each.deleted()));
  expect(deleted.reduce((sum, { nonce = 0 }) => sum + nonce, 0)).toBe(4_500);
  expect(await readOverdue('nonce')).toEqual([]);
  expect(await readOverdue('event')).toEqual([]);
});

it('a locked row is left out, and deleted later', async () => {
  await seed('login_failure', 3, 10);
  const { cleanup } = newCleanup();
  await stack.db.transaction().execute(async (trx) => {
    await sql`select from login_failure limit 1 for update`.execute(trx);
    await cleanup.run();
    expect(await readOverdue('login_failure')).toHaveLength(1);
  });
  await cleanup.run();
  expect(await readOverdue('login_failure')).toEqual([]);
});

it('it stops between two steps when the worker closes', async () => {
  await seed('nonce', 1_500, 10);
  await seed('event', 1, 10);
  const { cleanup } = newCleanup();
  await cleanup.run(AbortSignal.abort());
  expect(await readOverdue('nonce')).toHaveLength(1_500);
  // Aborts when it looks for the third time: after the first step of nonces.
  let looks = 0;
  const signal = Object.defineProperty(new AbortController().signal, 'aborted', { get: () => ++looks > 2 });
  await cleanup.run(signal);
  expect(await readOverdue('nonce')).toHaveLength(500);
  expect(await readOverdue('event')).toHaveLength(1);
});

it('a kind that fails does not stop the others, is logged once, and continues when the fault is fixed', async () => {
  for (const kind of ['access_token', 'nonce', 'event']) await seed(kind, 2, 10);
  const { cleanup, lines, behind } = newCleanup();
  await sql`alter table nonce rename to away`.execute(stack.db);
  try {
    await cleanup.run();
    expect(await readOverdue('access_token')).toEqual([]);
    expect(await readOverdue('event')).toEqual([]);
    await seed('event', 1, 20);
    await cleanup.run();
    expect(await readOverdue('event')).toEqual([]);
    expect(lines).toMatchObject([{ level: 40, kind: 'nonce' }]);
    expect(Object.keys(await behind()).toSorted()).toEqual(
      Object.keys(KINDS)
        .filter((kind) => kind !== 'nonce')
        .toSorted(),
    );
  } finally {
    await sql`alter table away rename to nonce`.execute(stack.db);
  }
  await cleanup.run();
  await cleanup.run();
  expect(await readOverdue('nonce')).toEqual([]);
  expect(lines).toMatchObject([{}, { level: 30, kind: 'nonce' }]);
});
