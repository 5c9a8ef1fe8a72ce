import { createApplication } from '@lockstep/access';
import type { Database } from '@lockstep/platform';
import { expect, inject, vi } from 'vitest';
import { Api, callService } from '../api.ts';
import { freePort } from '../network/redis.ts';
import { createTestDatabase, type QueueKind, type TestDatabase, untilTestsEnd } from '../stack.ts';
import { ServiceProcess } from './service-process.ts';

/**
 * Starts processes, on a database of their own unless one is given, as in a deployment: APIs and workers, without Redis
 * unless `env` says so. `probes`: the addresses of the workers' probes. Closing it expects them all to run and to exit
 * normally.
 */
async function startDeployment({ apis = 1, workers = 1, env: more = {}, ...given }: DeploymentOptions = {}) {
  const database = given.database ?? (await createTestDatabase());
  const ports = await Promise.all(Array.from({ length: apis }, freePort));
  const env = { REDIS_URL: '', ...more, DATABASE_URL: database.url };
  const services = ports.map((port) => ServiceProcess.api({ ...env, PORT: String(port) }));
  const probePorts = await Promise.all(Array.from({ length: workers }, freePort));
  const running = probePorts.map((port) => ServiceProcess.worker({ ...env, WORKER_PORT: String(port) }));
  const processes = [...services, ...running];
  await Promise.all(processes.map((each) => each.start()));
  /** Returns clients of all APIs for a new application. */
  const newApis = () => logInTo(database.db, ports.map(addressOf));
  const clients = await newApis();
  return {
    database,
    processes,
    workers: running,
    probes: probePorts.map(addressOf),
    apis: clients,
    api: clients[0]!,
    newApis,
    /** Returns each API's readiness. */
    readiness: () =>
      Promise.all(
        clients.map(async ({ baseUrl }) => {
          const { status, body } = await callService('GET', `${baseUrl}/health/ready`, {});
          return { status, body };
        }),
      ),
    async close() {
      const statuses = await Promise.all(processes.map((each) => each.stop()));
      await database.close();
      expect(statuses, 'every process stops with status 0').toEqual(processes.map(() => 0));
    },
  };
}

interface DeploymentOptions {
  apis?: number;
  workers?: number;
  env?: Record<string, string>;
  /** Instead of a new one. */
  database?: TestDatabase;
}

const addressOf = (port: number) => `http://127.0.0.1:${port}`;

/** Creates an application, and returns a client of it at each address. */
export async function logInTo(db: Database, baseUrls: readonly string[]): Promise<Api[]> {
  const scopes = ['auth_order' as const, 'auth_me' as const];
  const credentials = await createApplication(db, { name: 'Test', scopes, approved: true });
  const { token } = await Api.logIn(baseUrls[0]!, credentials);
  return baseUrls.map((baseUrl) => new Api(baseUrl, credentials, token));
}

/** Starts a deployment for the tests of a file or of a `describe`. */
export const testDeployment = (options?: DeploymentOptions) => untilTestsEnd(startDeployment(options));

/**
 * Starts two API and two worker processes, one of which is killed and restarted every few batches, until the tests of a
 * file or of a `describe` end. `redisDatabase`: a logical database that no other test uses, because real processes use
 * the queue's real name.
 */
export async function testKilledProcesses(
  queue: QueueKind,
  { redisDatabase, batchesBetweenKills }: { redisDatabase: number; batchesBetweenKills: number },
) {
  const REDIS_URL = queue === 'redis' ? `${inject('redisUrl')}/${redisDatabase}` : '';
  const deployment = await testDeployment({ apis: 2, workers: 2, env: { REDIS_URL } });
  const { processes } = deployment;
  let sent = 0;
  let restarting: Promise<void> = Promise.resolve();
  return {
    ...deployment,
    /** Must be called for each batch sent. */
    countBatch() {
      sent++;
      if (sent % batchesBetweenKills !== 0) return;
      const victim = processes[(sent / batchesBetweenKills) % processes.length]!;
      restarting = restarting.then(async () => {
        await victim.kill();
        await victim.start();
      });
    },
    /** Resolves when this many batches have been sent. */
    sent: (count: number) => vi.waitUntil(() => sent >= count, { timeout: 120_000 }),
    /** Resolves when no process is down. */
    restarted: () => restarting,
  };
}
