import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ORDERS_PER_BATCH } from '@lockstep/assets';
import { buildPath } from '@lockstep/contract';
import type pg from 'pg';
import { Api, dataOf } from '../harness/api.ts';
import { freePort } from '../harness/network/redis.ts';
import { BenchProcess } from './bench-process.ts';
import type { LoadWork, Pace, Requests } from './load/load-work.ts';
import { openPool } from './load/open-pool.ts';
import type { Sender } from './load/senders.ts';
import type { Bench } from './measures/measure.ts';
import { type Edition, readStart } from './report/edition.ts';

const LOOK_EVERY_MS = 10;
const APPLIED_WITHIN_MS = 300_000;
const LOG_TAIL_CHARACTERS = 3_000;

/** How a measure deploys the service. */
export interface Shape {
  queue?: 'redis' | 'postgres';
  workers?: number;
  /** Existing database to run on. By default the deployment creates one and drops it when it stops. */
  databaseUrl?: string;
  /** NODE_OPTIONS of its processes. */
  nodeOptions?: string;
  /** Returns the URL at which the processes connect to the database, for example through a proxy. */
  reachedAt?: (databaseUrl: string) => string;
}

/** A worker exited although orders were pending. */
export class WorkerDied extends Error {}

/** One API process and some workers of an edition, on one database. */
export class Deployment {
  readonly databaseUrl: string;
  readonly api: BenchProcess;
  readonly workers: readonly BenchProcess[];
  /** For the benchmark's own queries. */
  readonly db: pg.Pool;
  readonly #sender: Sender;

  private constructor(own: {
    databaseUrl: string;
    api: BenchProcess;
    workers: BenchProcess[];
    sender: Sender;
  }) {
    this.databaseUrl = own.databaseUrl;
    this.api = own.api;
    this.workers = own.workers;
    this.#sender = own.sender;
    this.db = openPool(own.databaseUrl, 2);
  }

  static async start(bench: Bench, edition: Edition, shape: Shape = {}): Promise<Deployment> {
    const { queue = 'redis', workers = 1, nodeOptions, reachedAt = (url) => url } = shape;
    const { machine } = bench;
    const databaseUrl = shape.databaseUrl ?? (await machine.createDatabase(edition.template));
    const port = await freePort();
    const env = {
      DATABASE_URL: reachedAt(databaseUrl),
      REDIS_URL: queue === 'redis' ? machine.redisUrl : '',
      PORT: String(port),
      WEBHOOK_ALLOW_PRIVATE: 'true',
      ...(nodeOptions === undefined ? {} : { NODE_OPTIONS: nodeOptions }),
    };
    await machine.settle();
    const start = async (app: 'api' | 'worker', logName: string) =>
      BenchProcess.start({
        directory: edition.directory,
        ...(await readStart(edition.directory, app)),
        env,
        readyText: `${app} ready`,
        logFile: join(machine.directory, `${logName}.log`),
      });
    const api = await start('api', 'api');
    const started = await Promise.all(
      Array.from({ length: workers }, (_, index) => start('worker', `worker-${index}`)),
    );
    const caller = await Api.logIn(`http://127.0.0.1:${port}`, edition.credentials);
    const sender = { caller, customers: edition.customers };
    return new Deployment({ databaseUrl, api, workers: started, sender });
  }

  get baseUrl(): string {
    return this.#sender.caller.baseUrl;
  }

  /** Returns work for a load generator: batches of the edition's application, or of another sender. */
  batches(
    batches: number,
    ordersPerBatch: number,
    mode: 'async' | 'sync',
    pace: Pace,
    { caller, customers }: Sender = this.#sender,
  ): LoadWork & { requests: Extract<Requests, { kind: 'batches' }> } {
    const { baseUrl, token, credentials } = caller;
    return {
      baseUrl,
      targets: [`${buildPath('createBatchOrder', {})}?appKey=${credentials.appKey}&`],
      headers: { authorization: `Bearer ${token}` },
      requests: {
        kind: 'batches',
        mode,
        batches,
        ordersPerBatch,
        customers,
        tag: randomUUID().slice(0, 13),
      },
      pace,
    };
  }

  /** Returns work for a load generator: polls of batch results. */
  polls(channelOrderIds: readonly string[], pace: Pace): LoadWork {
    const path = buildPath('getBatchResult', {});
    return this.questions(
      channelOrderIds.map((id) => `${path}?channelCode=bench&channelOrderId=${id}&`),
      pace,
    );
  }

  /** Returns work for a load generator: reads. Each target is a path with a query that ends with `?` or `&`. */
  questions(targets: readonly string[], pace: Pace): LoadWork {
    const { baseUrl, token } = this.#sender.caller;
    return {
      baseUrl,
      targets,
      headers: { authorization: `Bearer ${token}` },
      requests: { kind: 'question' },
      pace,
    };
  }

  /** Creates a webhook for the application's future events. Returns its id. */
  async createWebhook(url: string): Promise<string> {
    return dataOf(await this.#sender.caller.call('POST', '/webhooks', { body: { url } })).webhookId;
  }

  async deleteWebhook(webhookId: string): Promise<void> {
    await this.#sender.caller.call('DELETE', `/webhooks/${webhookId}`);
  }

  /**
   * Waits until no order is pending; with a tag, until none of its batches or of earlier batches is. Returns that time
   * in milliseconds since 1970. @throws as #untilNone
   */
  async untilApplied(tag?: string): Promise<number> {
    if (tag === undefined) return this.#untilNone('select from lane_chunk where finished_time is null limit 1');
    const sent = await this.db.query<{ last: string }>(
      "select max(id) as last from batch where channel_order_id like $1 || '-%'",
      [tag],
    );
    return this.#untilNone('select from lane_chunk where finished_time is null and batch_id <= $1 limit 1', [
      sent.rows[0]!.last,
    ]);
  }

  /** Waits until all batches are completed, which follows soon after their last outcome. @throws as #untilNone */
  async untilCompleted(): Promise<void> {
    await this.#untilNone('select from batch where completed_time is null limit 1');
  }

  /**
   * Waits until the query returns no row. @throws WorkerDied; Error with the end of the first worker's log on timeout
   */
  async #untilNone(query: string, values: string[] = []): Promise<number> {
    const deadlineMs = performance.now() + APPLIED_WITHIN_MS;
    for (;;) {
      const { rows } = await this.db.query(query, values);
      if (rows.length === 0) return performance.timeOrigin + performance.now();
      const dead = this.workers.find(({ hasEnded }) => hasEnded);
      if (dead !== undefined) throw new WorkerDied(`A worker exited:\n${dead.log.slice(-LOG_TAIL_CHARACTERS)}`);
      if (performance.now() > deadlineMs) {
        throw new Error(`Orders are still pending:\n${this.workers[0]?.log.slice(-LOG_TAIL_CHARACTERS)}`);
      }
      await delay(LOOK_EVERY_MS);
    }
  }

  /** @throws Error unless exactly `orders` orders of the tag's batches have succeeded and none has failed */
  async assertApplied(tag: string, orders: number): Promise<void> {
    const { rows } = await this.db.query<{ succeeded: string; failed: string }>(
      `select count(*) filter (where cause is null) as succeeded, count(cause) as failed
      from license_order, (select min(id), max(id) from batch where channel_order_id like $1 || '-%') as sent
      where id between sent.min * $2 and (sent.max + 1) * $2 - 1`,
      [tag, ORDERS_PER_BATCH],
    );
    const { succeeded, failed } = rows[0]!;
    if (Number(succeeded) !== orders || failed !== '0') {
      throw new Error(`${succeeded} of ${orders} orders succeeded, ${failed} failed`);
    }
  }

  /** Stops its processes, and drops its database unless `keepDatabase` is set. */
  async stop(bench: Bench, { keepDatabase = false } = {}): Promise<void> {
    await Promise.all([this.api, ...this.workers].map((each) => each.stop()));
    await this.db.end();
    if (!keepDatabase) await bench.machine.dropDatabase(this.databaseUrl);
  }
}

/** Runs work on a new deployment, then stops it. */
export async function withDeployment<Result>(
  bench: Bench,
  edition: Edition,
  shape: Shape,
  work: (deployment: Deployment) => Promise<Result>,
): Promise<Result> {
  const deployment = await Deployment.start(bench, edition, shape);
  try {
    return await work(deployment);
  } finally {
    await deployment.stop(bench, { keepDatabase: shape.databaseUrl !== undefined });
  }
}
