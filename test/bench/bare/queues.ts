import { setTimeout as delay } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { type BareOrder, insertOrders } from './ledger-rows.ts';

/** Adds the orders of a call. `content` is its body. */
type Add = (orders: readonly BareOrder[], content: string) => Promise<unknown>;

/** How the orders of a bare HTTP server reach a bare worker. */
interface BareQueue {
  /** Creates the queue. Returns how to add to it. */
  open(): Promise<Add>;
  /** Starts to apply orders, until the process exits. */
  work(): Promise<unknown>;
}

const { DATABASE_URL: connectionString = '', REDIS_URL = '' } = process.env;
const QUEUE = 'bare';
/** As many as the service's API has. */
const CONNECTIONS = 10;
/** Concurrent jobs of a peer's worker: more than its connections for their transactions, to keep those busy. */
const JOBS_AT_ONCE = 24;
const JOB_CONNECTIONS = 20;
/** As many as a drain of the service takes, and its pause between drains. */
const ORDERS_OF_GROUP = 250;
const PAUSE_MS = 5;

/**
 * By name: queues that the service is compared with, each with one job and one transaction for each order, tuned for
 * throughput as its documentation says; and the least that this architecture can do.
 */
export const queues: Record<'pipeline' | 'bullmq' | 'graphile' | 'pgboss', BareQueue> = {
  /** Stores each call's body as one row, and applies groups of bodies with bulk inserts. */
  pipeline: {
    async open() {
      const db = new pg.Pool({ connectionString, max: CONNECTIONS });
      const text = 'insert into bare.call (first_id, orders, content) values ($1, $2, $3)';
      return (orders, content) => db.query({ name: 'add', text, values: [orders[0]!.id, orders.length, content] });
    },
    async work() {
      const client = await new pg.Pool({ connectionString, max: 1 }).connect();
      const take = {
        name: 'take',
        text: `delete from bare.call where first_id = any (array(
            select first_id from (
              select first_id, sum(orders) over (order by first_id) as total
              from (select first_id, orders from bare.call order by first_id limit $1) as oldest
            ) as counted where total <= $1))
          returning first_id, content`,
        values: [ORDERS_OF_GROUP],
      };
      const readGroup = async () => {
        const { rows } = await client.query<{ first_id: string; content: string }>(take);
        return rows.flatMap(({ first_id, content }) => readOrders(content, Number(first_id)));
      };
      for (;;) if ((await insertOrders(client, 'bare', readGroup)) === 0) await delay(PAUSE_MS);
    },
  },
  bullmq: {
    async open() {
      const queue = new Queue<BareOrder>(QUEUE, { connection: { url: REDIS_URL } });
      await queue.waitUntilReady();
      const opts = { removeOnComplete: true, removeOnFail: true };
      return (orders) => queue.addBulk(orders.map((data) => ({ name: 'order', data, opts })));
    },
    async work() {
      const apply = openApplier();
      const connection = { url: REDIS_URL, maxRetriesPerRequest: null };
      const worker = new Worker<BareOrder>(QUEUE, ({ data }) => apply(data), { connection, concurrency: JOBS_AT_ONCE });
      await worker.waitUntilReady();
    },
  },
  graphile: {
    async open() {
      const utils = await makeWorkerUtils({ connectionString, logger: new Logger(() => () => {}) });
      await utils.migrate();
      return (orders) => utils.addJobs(orders.map((payload) => ({ identifier: QUEUE, payload })));
    },
    async work() {
      const apply = openApplier();
      const worker = {
        connectionString,
        concurrentJobs: JOBS_AT_ONCE,
        maxPoolSize: JOBS_AT_ONCE + 1,
        localQueue: { size: 500 },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      };
      const taskList = { [QUEUE]: (payload: unknown) => apply(payload as BareOrder) };
      await run({ preset: { worker }, logger: new Logger(() => () => {}), taskList });
    },
  },
  pgboss: {
    async open() {
      const boss = await startBoss();
      await boss.createQueue(QUEUE, { notify: true });
      return (orders) =>
        boss.insert(
          QUEUE,
          orders.map((data) => ({ data })),
        );
    },
    async work() {
      const apply = openApplier();
      const boss = await startBoss();
      const options = { batchSize: 100, localConcurrency: 2, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 };
      await boss.work<BareOrder>(QUEUE, options, (jobs) => Promise.all(jobs.map(({ data }) => apply(data))));
    },
  },
};

export type QueueName = keyof typeof queues;

/** Reads the orders of a call's body and numbers them. */
export function readOrders(content: string, firstId: number): BareOrder[] {
  type Sent = { customerId: string; assets: { assetNos: string[] }[] };
  const { orderList } = JSON.parse(content) as { orderList: Sent[] };
  return orderList.map((sent, place) => {
    return { id: firstId + place, customerId: sent.customerId, assetNum: sent.assets[0]!.assetNos[0]!, sent };
  });
}

/** Returns how to apply one order in its own transaction. */
function openApplier(): (order: BareOrder) => Promise<void> {
  const db = new pg.Pool({ connectionString, max: JOB_CONNECTIONS });
  return async (order) => {
    const client = await db.connect();
    await insertOrders(client, 'bare', async () => [order]);
    client.release();
  };
}

async function startBoss(): Promise<PgBoss> {
  const boss = new PgBoss({ connectionString, max: CONNECTIONS, useListenNotify: true });
  boss.on('error', () => {});
  return await boss.start();
}
