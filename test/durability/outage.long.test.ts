import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type Api, dataOf } from '../harness/api.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { testDeployment } from '../harness/processes/deployment.ts';
import type { TestDatabase } from '../harness/stack.ts';

const BATCHES = 60;
const CALLERS = 8;

describe('an api and a worker process whose PostgreSQL connections break under load', async () => {
  // Two connections for more concurrent calls. The calls wait for each other, and no order may fail because of that.
  const { database, api } = await testDeployment({ env: { DATABASE_POOL: '2' } });

  it('keep working, answer 500 at worst, and every accepted order succeeds', async () => {
    const customer = await api.newCustomer();
    const accepted: ReturnType<typeof batchOf>[] = [];
    let sent = 0;
    const caller = async () => {
      while (sent < BATCHES) {
        if (++sent % 10 === 0) await breakConnections(database);
        const batch = batchOf(...Array.from({ length: 20 }, () => newBuy(customer, [newAssetNum()])));
        await repeatedUntilAccepted(api, batch);
        accepted.push(batch);
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    for (const batch of accepted) {
      const result = await repeated(() => api.completed(batch));
      expect(result).toMatchObject({ state: 'completed', succeeded: 20, failed: 0 });
    }
  });
});

/** Ends every connection of the service, busy ones included, as a restart of PostgreSQL does. */
async function breakConnections({ db }: TestDatabase): Promise<void> {
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name like 'lockstep%'`.execute(db);
}

async function repeatedUntilAccepted(api: Api, batch: unknown): Promise<void> {
  await repeated(async () => {
    const answer = await api.submit(batch);
    if (answer.status === 299 && answer.body.code === '500') throw new TypeError('try again');
    return dataOf(answer);
  });
}

/** Repeats a call that ended with a fault, as a robust client does. */
async function repeated<Result>(call: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (attempt > 50) throw error;
    }
  }
}
