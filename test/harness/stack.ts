import { randomUUID } from 'node:crypto';
import { createApplication } from '@lockstep/access';
import { startApi } from '@lockstep/api';
import { readDeploymentConfig, SECRET_KEYS } from '@lockstep/config';
import type { Channels, Scope } from '@lockstep/contract';
import { createOrderMetrics, type OrderMetrics } from '@lockstep/orders';
import {
  type Closable,
  closeAll,
  createLogger,
  type Database,
  openDatabase,
  type QueueBackend,
} from '@lockstep/platform';
import { type RunningWorker, startWorker } from '@lockstep/worker';
import pg from 'pg';
import { afterAll, expect, inject, onTestFinished, TestRunner } from 'vitest';
import { Api } from './api.ts';
import './network/example-names.ts';

/** The queue backends on which every test of queued work runs. */
export const QUEUE_KINDS = ['redis', 'postgres'] as const;
export type QueueKind = (typeof QUEUE_KINDS)[number];

/** A database without a service. */
export interface TestDatabase {
  db: Database;
  url: string;
  close: () => Promise<void>;
}

/** What test files opened and have not closed, each with its file. */
const open = new Map<Closable, string | undefined>();

/**
 * Closes what was started after the test that calls this, or else after the last one of the file or `describe`. What a
 * file opened of whose tests none ran, as with `-t`, is closed before the next file opens something.
 */
export async function untilTestsEnd<Part extends Closable>(starting: Promise<Part>): Promise<Part> {
  const part = await starting;
  const { testPath } = expect.getState();
  const close = async (which: Closable) => void (open.delete(which) && (await which.close()));
  for (const [left, file] of open) if (file !== testPath) await close(left);
  open.set(part, testPath);
  (TestRunner.getCurrentTest() === undefined ? afterAll : onTestFinished)(() => close(part));
  return part;
}

/** Creates a database for the tests of a file or of a `describe`. */
export const testDatabase = () => untilTestsEnd(createTestDatabase());

/** A complete service: database, queue, one API and, by default, one worker. */
export interface Stack extends TestDatabase {
  baseUrl: string;
  queue: QueueBackend;
  metrics: OrderMetrics;
  /** The log lines of the service. */
  logLines: string[];
  /** Returns a client with a new approved application, bound to `channels` if given. */
  newApi(scopes?: Scope[], channels?: Channels): Promise<Api>;
  startWorker(): Promise<RunningWorker>;
}

/** Creates a database as `npm run migrate` leaves it, or without tables. */
export async function createTestDatabase({ migrated = true } = {}): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const template = migrated ? inject('template') : 'template0';
  await onServer((client) => client.query(`create database ${name} template ${template}`));
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${name}`;
  // Tests hold locks until other sessions wait for them, which may take long.
  const patient = `${url.href}?idle_in_transaction_session_timeout=0`;
  const db = openDatabase({ url: patient, poolSize: 8, applicationName: 'test', onError: () => {} });
  return {
    db,
    url: url.href,
    async close() {
      await db.destroy();
      await onServer(async (client) => {
        // Not WITH (FORCE), which may not end the server's own vacuum; a plain drop waits for it.
        await client.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename = user',
          [name],
        );
        await client.query(`drop database ${name}`);
      });
    },
  };
}

function testQueue(kind: QueueKind, databaseUrl: string): QueueBackend {
  return kind === 'postgres'
    ? { kind, url: databaseUrl }
    : { kind, url: inject('redisUrl'), prefix: new URL(databaseUrl).pathname.slice(1) };
}

export interface StackOptions {
  queue?: QueueKind;
  worker?: boolean;
  webhookAllowPrivate?: boolean;
  maxPendingOrders?: number;
  database?: TestDatabase;
  /** What `npm start` knows about its demo; absent as in a deployment. */
  demo?: { appKey: string; file: string };
}

/**
 * Starts a stack and an application for the tests of a file or of a `describe`, and closes it after the last of them:
 * `const { stack, api } = await testStack();`
 */
export async function testStack(options: StackOptions = {}): Promise<{ stack: Stack; api: Api }> {
  const stack = await untilTestsEnd(startStack(options));
  return { stack, api: await stack.newApi() };
}

/** Starts a stack, by default on a new database. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const { queue: queueKind = 'postgres', worker = true, webhookAllowPrivate = false } = options;
  const database = options.database ?? (await createTestDatabase());
  const { db, url } = database;
  const queue = testQueue(queueKind, url);
  const logLines: string[] = [];
  const log = createLogger(
    { name: 'test', level: 'trace', secrets: SECRET_KEYS },
    { write: (line) => void logLines.push(line) },
  );
  const metrics = createOrderMetrics();
  const config = readDeploymentConfig({ DATABASE_URL: url, DATABASE_POOL: '8', PORT: '0', WORKER_DRAINS: '2' });
  const { maxPendingOrders: MAX_PENDING_ORDERS = config.MAX_PENDING_ORDERS } = options;
  const changes = { MAX_PENDING_ORDERS, WEBHOOK_ALLOW_PRIVATE: webhookAllowPrivate };
  const common = { ...config, ...changes, queue, log, metrics };
  const running: Closable[] = [];
  const newWorker = async () => {
    const started = await startWorker(common);
    running.push(started);
    return started;
  };
  const api = await startApi({ ...common, prepare: async () => options.demo ?? null });
  if (worker) await newWorker();
  return {
    ...database,
    baseUrl: api.baseUrl,
    queue,
    metrics: common.metrics,
    logLines,
    startWorker: newWorker,
    async newApi(scopes = ['auth_order', 'auth_me'], channels = null) {
      const credentials = await createApplication(db, { name: 'Test', scopes, approved: true, channels });
      return await Api.logIn(api.baseUrl, credentials);
    },
    close: () =>
      closeAll({
        api: api.close,
        ...Object.fromEntries(running.map((part, index) => [`worker ${index}`, part.close])),
        database: database.close,
      }),
  };
}

async function onServer(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
