import { createApplication } from '@lockstep/access';
import { expect } from 'vitest';
import { Api } from '../api.ts';
import { checkNumbers } from '../databases/numbers.ts';
import { freePort } from '../network/redis.ts';
import { createTestDatabase, type TestDatabase } from '../stack.ts';
import { HEAP_OF_512_MIB, readMebibytes, ServiceProcess } from './service-process.ts';

/** Leaves memory in 512 MiB for everything besides the order. */
const MOST_MEBIBYTES = 340;

/** An API and a worker, each limited like a container of 512 MiB, on a database of their own. */
export class SmallDeployment {
  readonly database: TestDatabase;
  readonly #port: number;
  readonly #processes: { api: ServiceProcess; worker: ServiceProcess };

  private constructor(database: TestDatabase, port: number) {
    this.database = database;
    this.#port = port;
    const env = { DATABASE_URL: database.url, REDIS_URL: '', PORT: String(port), NODE_OPTIONS: HEAP_OF_512_MIB };
    this.#processes = { api: ServiceProcess.api(env), worker: ServiceProcess.worker(env) };
  }

  static async start(): Promise<SmallDeployment> {
    const deployment = new SmallDeployment(await createTestDatabase(), await freePort());
    await Promise.all(Object.values(deployment.#processes).map((each) => each.start()));
    return deployment;
  }

  /** Logs in a caller with a new approved application. */
  async newApi(): Promise<Api> {
    const asked = { name: 'Test', scopes: ['auth_order' as const, 'auth_me' as const], approved: true };
    return await Api.logIn(`http://127.0.0.1:${this.#port}`, await createApplication(this.database.db, asked));
  }

  /** Expects every process to have used little memory so far, and prints the peak of each. */
  expectLittleMemory(after: string): void {
    const mebibytes = {
      api: readMebibytes(this.#processes.api.pid, 'VmHWM'),
      worker: readMebibytes(this.#processes.worker.pid, 'VmHWM'),
    };
    process.stdout.write(`${after}: the API took ${mebibytes.api} MiB at most, the worker ${mebibytes.worker}\n`);
    expect(mebibytes.api).toBeLessThan(MOST_MEBIBYTES);
    expect(mebibytes.worker).toBeLessThan(MOST_MEBIBYTES);
  }

  /** Stops it. Expects correct counts on all assets, and both processes to exit normally. */
  async close(): Promise<void> {
    expect(await checkNumbers(this.database.db)).toEqual([]);
    const statuses = await Promise.all(Object.values(this.#processes).map((each) => each.stop()));
    expect(statuses).toEqual([0, 0]);
    await this.database.close();
  }
}
