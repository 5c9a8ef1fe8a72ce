import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import { freePort } from '../harness/network/redis.ts';
import { newCustomersInLanes } from '../harness/orders/lanes.ts';
import { batchOf, newAssetNum } from '../harness/orders/orders.ts';
import { buyAndDelete } from '../harness/orders/stories.ts';
import { ServiceProcess } from '../harness/processes/service-process.ts';
import { testStack } from '../harness/stack.ts';

/** Orders while something around them is wrong (rules 6.2). */

const WARN = 40;
const WAIT = { timeout: 60_000, interval: 100 };

/** Opens a stack without a worker, with four customers in different lanes. */
async function open() {
  const { stack, api } = await testStack({ queue: 'redis', worker: false });
  const customers = await newCustomersInLanes(api, 4);
  return {
    stack,
    api,
    run: (statements: string) => sql.raw(statements).execute(stack.db),
    /** Accepts 40 orders, 10 per customer. Each succeeds only directly after the one before it. */
    async acceptOrders() {
      const batch = batchOf(...customers.flatMap((customer) => buyAndDelete(customer, newAssetNum(), 10)));
      await api.accept(batch);
      return batch;
    },
    /** Returns the service's log lines of level warning and above. */
    complaints: (): { level: number; msg: string }[] =>
      stack.logLines.map((line) => JSON.parse(line)).filter(({ level }) => level >= WARN),
  };
}

const failTrigger = (sqlState: string, table = 'product_instance') => `
  create function fail() returns trigger language plpgsql as $$ begin
    raise sqlstate '${sqlState}' using message = 'made to fail';
  end $$;
  create trigger fail before insert on ${table} for each row execute function fail();`;

/** Lock the table first, as all other transactions do. */
const DROP_FROM_OUTCOMES = 'lock table license_order in access exclusive mode; drop function fail cascade';

describe('a fault in the environment fails no order', () => {
  const FAULTS: [broken: string, fixed: string, reason: string][] = [
    [
      'alter table product_instance rename crm_product_id to name',
      'alter table product_instance rename name to crm_product_id',
      '42703',
    ],
    ['alter table license_order rename to outcome', 'alter table outcome rename to license_order', '42P01'],
    [
      "alter table asset add constraint stricter check (asset_num like 'x%') not valid",
      'alter table asset drop constraint stricter',
      '23514',
    ],
    ['revoke update on asset from current_user', 'grant update on asset to current_user', '42501'],
    [failTrigger('P0001'), 'drop function fail cascade', 'P0001'],
    [failTrigger('XX001', 'license_order'), DROP_FROM_OUTCOMES, 'XX001'],
  ];

  /** Applies orders while the schema is broken, and after it is fixed. */
  async function sufferFrom(broken: string, fixed: string, reason: string): Promise<void> {
    const { stack, api, run, acceptOrders, complaints } = await open();
    await run(broken);
    const batch = await acceptOrders();
    const worker = await stack.startWorker();
    // It has logged the fault and retried a few times.
    const attempts = async () => (await stack.metrics.drainFailures.get()).values[0]!.value;
    await vi.waitUntil(async () => worker.stalledBy() !== null && (await attempts()) >= 4, WAIT);
    expect(worker.stalledBy()).toMatch(reason);
    // The service logs this once, however often it retries.
    expect(complaints()).toMatchObject([{ msg: 'orders stalled; will retry' }]);
    expect(await stack.metrics.registry.metrics()).toMatch(/lockstep_stalled_lanes [1-9]/);
    await run(fixed);
    expect(await api.completed(batch)).toMatchObject({ succeeded: 40, failed: 0 });
    await vi.waitUntil(() => worker.stalledBy() === null, WAIT);
    expect(complaints()).toHaveLength(1);
    await vi.waitUntil(() => stack.logLines.some((line) => line.includes('orders resumed')), WAIT);
    // Scrapes share a reading for ten times as long as it took.
    const readMetrics = () => stack.metrics.registry.metrics();
    await expect.poll(readMetrics, WAIT).toMatch('lockstep_stalled_lanes 0');
  }

  it('in columns, tables, constraints, privileges and triggers, on a service each', async () => {
    await Promise.all(FAULTS.map((fault) => sufferFrom(...fault)));
  });

  it('a worker process shows in its readiness why it waits', async () => {
    const { stack, api, run, acceptOrders } = await open();
    await run('alter table product_instance rename crm_product_id to name');
    const batch = await acceptOrders();
    const port = String(await freePort());
    const worker = ServiceProcess.worker({ DATABASE_URL: stack.url, REDIS_URL: '', WORKER_PORT: port });
    await worker.start();
    const ready = async () => {
      const response = await fetch(`http://127.0.0.1:${port}/health/ready`);
      return { httpStatus: response.status, ...((await response.json()) as { status: string; reason?: string }) };
    };
    try {
      await vi.waitUntil(async () => (await ready()).httpStatus === 503, WAIT);
      expect(await ready()).toMatchObject({ status: 'unavailable', reason: expect.stringContaining('crm_product_id') });
      await run('alter table product_instance rename name to crm_product_id');
      expect(await api.completed(batch)).toMatchObject({ succeeded: 40, failed: 0 });
      await vi.waitUntil(async () => (await ready()).status === 'ready', WAIT);
    } finally {
      await worker.stop();
    }
  });
});
