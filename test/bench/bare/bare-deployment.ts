import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../harness/network/redis.ts';
import { startProcess } from '../bench-process.ts';
import { type Batches, buildBatches, type Load, nowMs, type Pace } from '../load.ts';
import { openPool } from '../machine.ts';
import type { Bench } from '../measure.ts';
import { createBareTables } from './ledger-rows.ts';
import type { QueueName } from './queues.ts';

const LOOK_EVERY_MS = 10;

/** Starts the processes that the service is compared with, on their own database. */
export async function startBare({ machine, checkout }: Bench, queue: QueueName, { hasWorker }: { hasWorker: boolean }) {
  const databaseUrl = await machine.createDatabase(checkout.template);
  const db = openPool(databaseUrl, 2);
  await createBareTables(db);
  await machine.settle();
  const port = await freePort();
  const env = { QUEUE: queue, DATABASE_URL: databaseUrl, REDIS_URL: machine.redisUrl, PORT: String(port) };
  const start = (role: 'server' | 'worker') =>
    startProcess({
      directory: process.cwd(),
      args: [join(import.meta.dirname, 'bare-process.ts')],
      env: { ...env, ROLE: role },
      readyText: 'ready',
      logFile: join(machine.directory, `bare-${role}.log`),
    });
  // First the server, which creates the queue.
  const server = await start('server');
  const workers = hasWorker ? [await start('worker')] : [];
  const baseUrl = `http://127.0.0.1:${port}`;
  return {
    db,
    server,
    workers,
    /** Builds the batches that the service gets. */
    batches(batches: Batches) {
      const { pace } = batches;
      return { baseUrl, targets: ['/orders?'], headers: {}, pace, ...buildBatches(batches, checkout.customers) };
    },
    reads: (target: string, pace: Pace): Load => ({ baseUrl, targets: [target], headers: {}, pace }),
    /** Waits until that many orders in all are in the tables. Returns that time in milliseconds since 1970. */
    async untilInserted(orders: number): Promise<number> {
      // Count only once the newest is there, because counting takes long.
      const text = `select exists (select from bare.license_order where id = $1)
        and (select count(*) >= $1 from bare.license_order) as "isDone"`;
      while (!(await db.query<{ isDone: boolean }>(text, [orders])).rows[0]!.isDone) {
        for (const each of [server, ...workers]) each.assertRuns();
        await delay(LOOK_EVERY_MS);
      }
      return nowMs();
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([server, ...workers].map((each) => each.stop()));
      await db.end();
      await machine.dropDatabase(databaseUrl);
    },
  };
}
