import { lanesOfChannel, lockLanes, readBacklogsElsewhere, readLocked, tryingLanes } from '@lockstep/orders/testing';
import { createLogger, run } from '@lockstep/platform';
import { type RunningWorker, startWorker } from '@lockstep/worker';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ALL_LANES } from '../harness/orders/lanes.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { type Stack, startStack } from '../harness/stack.ts';

/** A worker while another session holds what its drains need. Its DATABASE_URL sets how long it waits for a lock. */
let stack: Stack;
let worker: RunningWorker;

const LOCK_TIMEOUT_MS = 300;
const LANES = ALL_LANES;
const WAIT = { timeout: 60_000 };

beforeEach(async () => {
  stack = await startStack({ worker: false });
  const log = createLogger(
    { name: 'test', level: 'trace', secrets: new Set() },
    { write: (line) => void stack.logLines.push(line) },
  );
  worker = await startWorker({
    databaseUrl: `${stack.url}?lock_timeout=${LOCK_TIMEOUT_MS}`,
    poolSize: 6,
    queue: stack.queue,
    log,
    metrics: stack.metrics,
    drains: 2,
    webhookAllowPrivate: false,
    failedOrderDays: 30,
    eventDays: 30,
  });
});
afterEach(async () => {
  await worker.close();
  await stack.close();
});

async function acceptOrder() {
  const api = await stack.newApi();
  const batch = batchOf(newBuy(await api.newCustomer(), [newAssetNum()]));
  await api.accept(batch);
  return { completed: () => api.completed(batch) };
}

const drainFailures = async () => (await stack.metrics.drainFailures.get()).values[0]!.value;

it('logs that orders wait for a locked table, and resumes when the lock is released', async () => {
  const session = await stack.db.startTransaction().execute();
  await sql`lock table product_instance in access exclusive mode`.execute(session);
  const { completed } = await acceptOrder();
  await vi.waitUntil(() => worker.stalledBy() !== null, WAIT);
  expect(worker.stalledBy()).toMatch('55P03');
  expect(await stack.metrics.registry.metrics()).toMatch(/lockstep_stalled_lanes [1-9]/);
  expect(stack.logLines.filter((line) => line.includes('orders stalled'))).toHaveLength(1);
  await session.rollback().execute();
  expect(await completed()).toMatchObject({ succeeded: 1 });
  await vi.waitUntil(() => worker.stalledBy() === null, WAIT);
});

it('waits for locked lanes without a limit, and logs nothing', async () => {
  const other = await stack.db.startTransaction().execute();
  await lockLanes(other, LANES);
  const { completed } = await acceptOrder();
  const waitsLong = async () => {
    const { rows } = await sql<{ waits: boolean }>`
      select exists (
        select from lane_chunk where clock_timestamp() - accepted_time > ${`${5 * LOCK_TIMEOUT_MS} ms`}::interval
      ) as waits`.execute(stack.db);
    return rows[0]!.waits;
  };
  await vi.waitUntil(waitsLong, WAIT);
  expect([worker.stalledBy(), await drainFailures()]).toEqual([null, 0]);
  await other.rollback().execute();
  expect(await completed()).toMatchObject({ succeeded: 1 });
  expect([worker.stalledBy(), await drainFailures()]).toEqual([null, 0]);
});

it('leaves the backlog of each channel to one of the workers that drain it, and to no other session', async () => {
  const db = stack.db;
  const channelsOf = async (worker: number, lock: ReturnType<typeof tryingLanes>) => {
    const other = await db.startTransaction().execute();
    await run(other, lock);
    const channels = await readBacklogsElsewhere(db, worker);
    await other.rollback().execute();
    return [...channels];
  };
  const channels = Array.from({ length: 40 }, (_, index) => index + 1);
  const lanes = channels.flatMap((channel) => lanesOfChannel(channel).slice(0, 2));
  const [left, leftByOther] = [
    await channelsOf(8, tryingLanes(lanes, { bulkOf: 7 })),
    await channelsOf(7, tryingLanes(lanes, { bulkOf: 8 })),
  ];
  expect([...left, ...leftByOther].toSorted((a, b) => a - b)).toEqual(channels);
  expect(left.length).toBeGreaterThan(5);
  expect(leftByOther.length).toBeGreaterThan(5);
  expect(await channelsOf(7, tryingLanes(lanes, { bulkOf: 7 }))).toEqual([]);
  // As a sync call does.
  expect(await channelsOf(8, tryingLanes(lanes))).toEqual([]);
});

it('takes the free ones of some lanes without waiting', async () => {
  const other = await stack.db.startTransaction().execute();
  await lockLanes(other, [1, 3]);
  const take = (lanes: number[]) =>
    stack.db.transaction().execute(async (trx) => readLocked(await run(trx, tryingLanes(lanes))));
  try {
    expect(await take([5, 3, 1, 2])).toEqual([5, 2]);
    expect(await take([1, 2, 3])).toEqual([2]);
    expect(await take([1, 3])).toEqual([]);
  } finally {
    await other.rollback().execute();
  }
});
