import { createApplication } from '@lockstep/access';
import type { AcceptedOrder, Customer } from '@lockstep/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Api, dataOf } from '../harness/api.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../harness/orders.ts';
import { freePort } from '../harness/redis.ts';
import { retried } from '../harness/retried.ts';
import { ServiceProcess } from '../harness/service-process.ts';
import { createTestDatabase, QUEUE_KINDS, type TestDatabase } from '../harness/stack.ts';

const CUSTOMERS = 6;
const BATCHES_A_CUSTOMER = 18;
/** Five kills: of every process one, and of one a second. */
const BATCHES_BETWEEN_KILLS = 20;
/** A logical database that no other test uses, because real processes use the queue's real name. */
const REDIS_DATABASE = '7';

/** What one customer's channel sent and was answered. */
interface Story {
  batch: ReturnType<typeof batchOf>;
  answered: AcceptedOrder[];
}

describe.each(QUEUE_KINDS)('two api and two worker processes on %s, one killed every few batches', (queue) => {
  let database: TestDatabase;
  let apis: Api[];
  let processes: ServiceProcess[];

  beforeAll(async () => {
    database = await createTestDatabase();
    const ports = [await freePort(), await freePort()];
    const env = {
      DATABASE_URL: database.url,
      REDIS_URL: queue === 'redis' ? `${inject('redisUrl')}/${REDIS_DATABASE}` : '',
    };
    processes = [
      ...ports.map((port) => ServiceProcess.api({ ...env, PORT: String(port) })),
      ServiceProcess.worker(env),
      ServiceProcess.worker(env),
    ];
    await Promise.all(processes.map((part) => part.start()));
    const credentials = await createApplication(database.db, { name: 'Chaos', scopes: ['auth_order'], approved: true });
    const { token } = await Api.logIn(`http://127.0.0.1:${ports[0]}`, credentials);
    apis = ports.map((port) => new Api(`http://127.0.0.1:${port}`, credentials, token));
  });
  afterAll(async () => {
    const statuses = await Promise.all(processes.map((part) => part.stop()));
    await database.close();
    expect(statuses, 'every process stops with status 0').toEqual(processes.map(() => 0));
  });

  it('loses nothing that was answered, does nothing twice and keeps the order of each customer', async () => {
    let sent = 0;
    let restarting: Promise<void> = Promise.resolve();
    const countBatch = () => {
      sent++;
      if (sent % BATCHES_BETWEEN_KILLS !== 0) return;
      const victim = processes[(sent / BATCHES_BETWEEN_KILLS) % processes.length]!;
      restarting = restarting.then(async () => {
        await victim.kill();
        await victim.start();
      });
    };

    const stories = await Promise.all(
      Array.from({ length: CUSTOMERS }, async () => {
        const customer = await retried(apis, (api) => api.newCustomer());
        return await tellStory(apis, customer, countBatch);
      }),
    );
    await restarting;

    for (const { batch, answered } of stories.flat()) {
      const result = await retried(apis, (api) => api.completed(batch));
      expect(result.orders.filter((order) => order.state !== 'succeeded')).toEqual([]);
      expect(result.orders.map((order) => order.licenseOrderId)).toEqual(answered.map((order) => order.licenseOrderId));
    }
    const { rows } = await sql<{ active: number; bought: number; orders: number }>`
      select (select count(*)::int from asset where revoked_time is null) as active,
        (select count(*)::int from product_instance) as bought,
        (select count(*)::int from license_order) as orders`.execute(database.db);
    const orders = CUSTOMERS * BATCHES_A_CUSTOMER * 3;
    expect(rows[0]).toEqual({ active: 0, bought: orders / 2, orders });
  }, 240_000);
});

/**
 * Sends a customer's batches back to back, without waiting for their outcome, to one API after the other: each buys
 * and revokes the same number three times over two batches, so every order succeeds only if the order is kept.
 */
async function tellStory(apis: Api[], customer: Customer, onBatch: () => void): Promise<Story[]> {
  const story: Story[] = [];
  const assetNum = newAssetNum();
  for (let index = 0; index < BATCHES_A_CUSTOMER; index++) {
    const buy = () => newBuy(customer, [assetNum]);
    const revoke = () => deleteAsset(customer, [assetNum]);
    const batch = index % 2 === 0 ? batchOf(buy(), revoke(), buy()) : batchOf(revoke(), buy(), revoke());
    const answered = await retried(apis, async (api) => dataOf(await api.submit(batch)));
    story.push({ batch, answered });
    onBatch();
  }
  return story;
}
