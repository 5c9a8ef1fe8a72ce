import { createApplication } from '@lockstep/access';
import { type Database, openDatabase } from '@lockstep/platform';
import { inject } from 'vitest';
import { Api } from '../harness/api.ts';
import { freePort } from '../harness/network/redis.ts';
import { ServiceProcess } from '../harness/processes/service-process.ts';
import type { QueueKind } from '../harness/stack.ts';
import { Load } from './load.ts';

/** Redis database of these deployments. */
const REDIS_DATABASE = 9;

/** Two API and two worker processes, with a load on both APIs. */
export class Deployment {
  readonly db: Database;
  readonly apis: readonly Api[];
  readonly load: Load;
  readonly #processes: readonly ServiceProcess[];

  private constructor(db: Database, apis: Api[], load: Load, processes: ServiceProcess[]) {
    this.db = db;
    this.apis = apis;
    this.load = load;
    this.#processes = processes;
  }

  static async start(databaseUrl: string, queue: QueueKind): Promise<Deployment> {
    const ports = [await freePort(), await freePort()];
    const redisUrl = queue === 'redis' ? `${inject('redisUrl')}/${REDIS_DATABASE}` : '';
    const env = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, LOG_LEVEL: 'info' };
    const processes = [
      ...ports.map((port) => ServiceProcess.api({ ...env, PORT: String(port) })),
      ...[1, 2].map(() => ServiceProcess.worker(env)),
    ];
    await Promise.all(processes.map((part) => part.start()));
    const db = openDatabase({ url: databaseUrl, poolSize: 2, applicationName: 'test', onError: () => {} });
    const credentials = await createApplication(db, {
      name: 'Wide',
      scopes: ['auth_order', 'auth_me'],
      approved: true,
    });
    const { token } = await Api.logIn(`http://127.0.0.1:${ports[0]}`, credentials);
    const apis = ports.map((port) => new Api(`http://127.0.0.1:${port}`, credentials, token));
    return new Deployment(db, apis, await Load.open(db, apis), processes);
  }

  /** Returns each API's readiness: the HTTP status and the reason, if any. */
  readiness(): Promise<{ status: number; reason?: string }[]> {
    return Promise.all(
      this.apis.map(async ({ baseUrl }) => {
        const response = await fetch(`${baseUrl}/health/ready`);
        const { reason } = (await response.json()) as { reason?: string };
        return { status: response.status, ...(reason === undefined ? {} : { reason }) };
      }),
    );
  }

  /** Stops all processes. Returns their exit statuses. */
  async stop(): Promise<(number | null)[]> {
    const statuses = await Promise.all(this.#processes.map((part) => part.stop()));
    await this.db.destroy();
    return statuses;
  }
}
