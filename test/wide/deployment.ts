import { createApplication } from '@lockstep/access';
import { type Database, openDatabase } from '@lockstep/platform';
import { Api } from '../harness/api.ts';
import { freePort } from '../harness/network/redis.ts';
import { ServiceProcess } from '../harness/processes/service-process.ts';

/** A process of a deployment, and the address of its metrics and health checks. */
interface Part {
  process: ServiceProcess;
  baseUrl: string;
}

/** Two API and two worker processes, and a client of each API. */
export interface Deployment {
  db: Database;
  apis: Api[];
  workers: Part[];
  processes: ServiceProcess[];
  /** Returns each API's readiness. */
  readiness(): Promise<{ status: number; body: { reason?: string } }[]>;
  /** Stops all processes. Returns their exit statuses. */
  stop(): Promise<(number | null)[]>;
}

/** Starts a deployment. An empty `redisUrl` means that its queue is on PostgreSQL. */
export async function startDeployment(databaseUrl: string, redisUrl: string): Promise<Deployment> {
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, LOG_LEVEL: 'info' };
  const newPart = async (start: (port: string) => ServiceProcess): Promise<Part> => {
    const port = await freePort();
    return { process: start(`${port}`), baseUrl: `http://127.0.0.1:${port}` };
  };
  const newApi = () => newPart((PORT) => ServiceProcess.api({ ...env, PORT }));
  const newWorker = () => newPart((WORKER_PORT) => ServiceProcess.worker({ ...env, WORKER_PORT }));
  const [first, second, ...workers] = [await newApi(), await newApi(), await newWorker(), await newWorker()];
  const processes = [first, second, ...workers].map(({ process }) => process);
  await Promise.all(processes.map((each) => each.start()));
  const db = openDatabase({ url: databaseUrl, poolSize: 2, applicationName: 'test', onError: () => {} });
  const apis = await logInTo(db, [first.baseUrl, second.baseUrl]);
  return {
    db,
    apis,
    workers,
    processes,
    readiness: () =>
      Promise.all(
        apis.map(async ({ baseUrl }) => {
          const response = await fetch(`${baseUrl}/health/ready`);
          return { status: response.status, body: (await response.json()) as { reason?: string } };
        }),
      ),
    async stop() {
      const statuses = await Promise.all(processes.map((each) => each.stop()));
      await db.destroy();
      return statuses;
    },
  };
}

/** Creates an application, and returns a client of it at each address. */
export async function logInTo(db: Database, baseUrls: readonly string[]): Promise<Api[]> {
  const scopes = ['auth_order' as const, 'auth_me' as const];
  const credentials = await createApplication(db, { name: 'Wide', scopes, approved: true });
  const { token } = await Api.logIn(baseUrls[0]!, credentials);
  return baseUrls.map((baseUrl) => new Api(baseUrl, credentials, token));
}
