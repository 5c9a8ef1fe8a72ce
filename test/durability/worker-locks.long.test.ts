import { readDeploymentConfig } from '@lockstep/config';
import type { Customer } from '@lockstep/contract';
import { freeLanes, lockLanes, readLocked } from '@lockstep/orders/testing';
import { createLogger, run } from '@lockstep/platform';
import { type RunningWorker, startWorker } from '@lockstep/worker';
import { sql } from 'kysely';
import { beforeEach, expect, it, vi } from 'vitest';
import type { Api } from '../harness/api.ts';
import { ALL_LANES } from '../harness/orders/lanes.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { type Stack, testStack, untilTestsEnd } from '../harness/stack.ts';

/** A worker while another session holds what its drains need. Its DATABASE_URL sets how long it waits for a lock. */
let stack: Stack;
let worker: RunningWorker;
let api: Api;
let customer: Customer;

const LOCK_TIMEOUT_MS = 300;
const LANES = ALL_LANES;
const WAIT = { timeout: 60_000 };

beforeEach(async () => {
  ({ stack, api } = await testStack({ worker: false }));
  customer = await api.newCustomer();
  const log = createLogger(
    { name: 'test', level: 'trace', secrets: new Set() },
    { write: (line) => void stack.logLines.push(line) },
  );
  const config = readDeploymentConfig({
    DATABASE_URL: `${stack.url}?lock_timeout=${LOCK_TIMEOUT_MS}`,
    WORKER_DRAINS: '2',
  });
  const { queue, metrics } = stack;
  worker = await untilTestsEnd(startWorker({ ...config, queue, log, metrics }));
});

async function acceptOrder() {
  const batch = batchOf(newBuy(customer, [newAssetNum()]));
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

it('takes the free ones of some lanes without waiting', async () => {
  const other = await stack.db.startTransaction().execute();
  await lockLanes(other, [4, 6]);
  const take = (lanes: number[]) =>
    stack.db.transaction().execute(async (trx) => readLocked(await run(trx, freeLanes(lanes))));
  try {
    expect((await take([7, 6, 4, 5])).toSorted()).toEqual([5, 7]);
    expect(await take([4, 5, 6])).toEqual([5]);
    expect(await take([4, 6])).toEqual([]);
  } finally {
    await other.rollback().execute();
  }
});
