import { Redis } from 'ioredis';
import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import { freePort } from '../harness/network/redis.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { acceptAll, buyAndDelete, countOutcomes, waitForResults } from '../harness/orders/stories.ts';
import { startAnotherApi } from '../harness/processes/another-api.ts';
import { QUEUE_KINDS, type Stack, startStack, testStack } from '../harness/stack.ts';

describe.concurrent.each(QUEUE_KINDS)('an order without a job, on %s,', (queue) => {
  it('is found if the queue is unreachable at acceptance', async () => {
    const stack = await startStack({ queue });
    const unreachable = { kind: 'redis', url: `redis://127.0.0.1:${await freePort()}` } as const;
    const cutOff = await startAnotherApi(stack, await stack.newApi(), { queue: unreachable });
    try {
      const { api } = cutOff;
      const customer = await api.newCustomer();
      const batches = buyAndDelete(customer, newAssetNum(), 20).map((order) => batchOf(order));
      await acceptAll([api], batches);
      expect(countOutcomes(await waitForResults(api, batches))).toEqual({ succeeded: 20 });
    } finally {
      await cutOff.close();
      await stack.close();
    }
  });
});

describe('an order that was accepted while the clock was wrong', () => {
  it.each(['ahead', 'behind'])('by an hour, %s, is found when its job is lost', async (way) => {
    const { stack, api } = await testStack({ worker: false });
    const batch = batchOf(newBuy(await api.newCustomer(), [newAssetNum()]));
    await api.accept(batch);
    const hour = way === 'ahead' ? '1 hour' : '-1 hour';
    await sql`update lane_chunk set accepted_time = accepted_time + ${hour}::interval`.execute(stack.db);
    await vi.waitUntil(() => loseAllJobs(stack), { timeout: 60_000 });
    await stack.startWorker();
    expect(countOutcomes(await waitForResults(api, [batch]))).toEqual({ succeeded: 1 });
  });
});

/** Deletes all jobs of the queue. Returns how many there were. */
async function loseAllJobs({ db, queue }: Stack): Promise<number> {
  if (queue.kind === 'postgres') {
    const { numAffectedRows } = await sql`delete from bullmq.job`.execute(db);
    return Number(numAffectedRows);
  }
  const redis = new Redis(queue.url);
  const keys = await redis.keys(`${queue.prefix}:*`);
  const lost = await redis.del(...keys);
  redis.disconnect();
  return lost;
}
