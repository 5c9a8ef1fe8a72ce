import { createApplication } from '@lockstep/access';
import { expect, inject, vi } from 'vitest';
import { Api } from '../api.ts';
import { freePort } from '../network/redis.ts';
import { createTestDatabase, type QueueKind, type TestDatabase } from '../stack.ts';
import { ServiceProcess } from './service-process.ts';

/** Two API and two worker processes, one of which is killed and restarted every few batches. */
export interface KilledProcesses {
  database: TestDatabase;
  apis: Api[];
  /** Returns clients of both APIs for another application. */
  anotherApplication(): Promise<Api[]>;
  /** Must be called for each batch sent. */
  countBatch(): void;
  /** Resolves when this many batches have been sent. */
  sent(count: number): Promise<void>;
  /** Resolves when no process is down. */
  restarted(): Promise<void>;
  close(): Promise<void>;
}

/** `redisDatabase`: a logical database that no other test uses, because real processes use the queue's real name. */
export async function startKilledProcesses(
  queue: QueueKind,
  { redisDatabase, batchesBetweenKills }: { redisDatabase: number; batchesBetweenKills: number },
): Promise<KilledProcesses> {
  const database = await createTestDatabase();
  const ports = [await freePort(), await freePort()];
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: queue === 'redis' ? `${inject('redisUrl')}/${redisDatabase}` : '',
  };
  const processes = [
    ...ports.map((port) => ServiceProcess.api({ ...env, PORT: String(port) })),
    ServiceProcess.worker(env),
    ServiceProcess.worker(env),
  ];
  await Promise.all(processes.map((part) => part.start()));
  const anotherApplication = async () => {
    const credentials = await createApplication(database.db, { name: 'Test', scopes: ['auth_order'], approved: true });
    const { token } = await Api.logIn(`http://127.0.0.1:${ports[0]}`, credentials);
    return ports.map((port) => new Api(`http://127.0.0.1:${port}`, credentials, token));
  };
  let sent = 0;
  let restarting: Promise<void> = Promise.resolve();
  return {
    database,
    apis: await anotherApplication(),
    anotherApplication,
    countBatch() {
      sent++;
      if (sent % batchesBetweenKills !== 0) return;
      const victim = processes[(sent / batchesBetweenKills) % processes.length]!;
      restarting = restarting.then(async () => {
        await victim.kill();
        await victim.start();
      });
    },
    sent: (count) => vi.waitUntil(() => sent >= count, { timeout: 120_000 }).then(() => {}),
    restarted: () => restarting,
    async close() {
      const statuses = await Promise.all(processes.map((part) => part.stop()));
      await database.close();
      expect(statuses, 'every process stops with status 0').toEqual(processes.map(() => 0));
    },
  };
}
