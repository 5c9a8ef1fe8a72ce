import { agedAccess, CallVerifier, PasswordHasher, RefusalRecorder } from '@lockstep/access';
import { type DeploymentConfig, explainListenFault, RELEASE } from '@lockstep/config';
import { agedOperators, OperatorSessions } from '@lockstep/operators';
import {
  agedOrders,
  BatchAcceptor,
  BatchApplier,
  ChannelReader,
  cancelBatch,
  EventNumbering,
  type Job,
  JobAnnouncer,
  type OrderMetrics,
  PendingBound,
  QUEUE_NAME,
  ResultReader,
  registerBacklogGauges,
  SYNC_GROUPS_AT_ONCE,
  watchBatches,
  watchEvents,
} from '@lockstep/orders';
import {
  type Closable,
  closeAll,
  type Database,
  FairQueue,
  JobQueue,
  Listener,
  type Logger,
  openDatabase,
  type QueueBackend,
  SchemaWatch,
  WriteOutcomes,
} from '@lockstep/platform';
import { agedWebhooks, registerWebhookGauges } from '@lockstep/webhooks';
import { MOST_CONNECTIONS } from './calls/connections.ts';
import { LoginProvider } from './login-provider.ts';
import { addHttpMetrics } from './metrics.ts';
import type { Demo } from './options.ts';
import { buildServer } from './server.ts';

/** How long a call waits for one query before it fails with code 500. */
const QUERY_TIMEOUT_MS = 10_000;
/** How many calls of a kind run at once in a process, and how many of one application or enterprise run and wait. */
const READS = { atOnce: 4, atOnceOfParty: 2, maxWaiting: 250 };
const CHANGES = { atOnce: 12, atOnceOfParty: 2, maxWaiting: 250 };
/** Those with an Idempotency-Key hold a transaction while they hash passwords or look up a host. */
const KEYED = { atOnce: 4, atOnceOfParty: 2, maxWaiting: 250 };
/**
 * The connection pool of calls that wait for lanes or for data that orders are changing: sync batches, cancels, O6, O7,
 * M4, M9 and M10. They take longer than other calls, so a pool of their own keeps them from taking all connections.
 */
const LANES_POOL = {
  poolSize: SYNC_GROUPS_AT_ONCE + CHANGES.atOnce + KEYED.atOnce + 1,
  queryTimeoutMs: 60_000,
  lockTimeoutMs: 15_000,
};

export interface ApiOptions extends DeploymentConfig {
  queue: QueueBackend;
  log: Logger;
  metrics: OrderMetrics;
  /** Prepares the demo, which the console shows, before the process reports ready. The server already listens. */
  prepare?: (baseUrl: string) => Promise<Demo | null>;
}

interface RunningApi extends Closable {
  baseUrl: string;
  /** Resolves when operations work: the database answers and has the schema of this release. */
  untilReady(): Promise<void>;
}

/**
 * Opens the connection pools and starts to listen. Operations fail with service_unavailable until the database is
 * available. `close` stops accepting calls, finishes those in flight, and closes the pools. Throws an Error that names
 * the variable to change if it cannot listen, and what `prepare` throws; the pools are then closed.
 */
export async function startApi(options: ApiOptions): Promise<RunningApi> {
  const { log, metrics } = options;
  const writes = new WriteOutcomes();
  const { db, lanesDb } = openPools(options, writes);
  const channels = new ChannelReader(db);
  registerBacklogGauges(metrics.registry, db, channels);
  registerWebhookGauges(metrics.registry, db);
  const schema = new SchemaWatch({ db, release: RELEASE, queue: options.queue, log });
  const queue = new JobQueue<Job>(options.queue, QUEUE_NAME, log);
  const announcer = new JobAnnouncer(queue, log, metrics);
  const watch = watchBatches(db);
  const eventWatch = watchEvents(db);
  const listener = new Listener({
    url: options.DATABASE_URL,
    applicationName: 'lockstep-watch',
    subscribers: [watch, eventWatch],
    onLost: (error) => log.warn({ err: error }, 'listener connection lost; polling'),
  });
  void schema.untilCurrent().then(() => listener.start());
  const numbering = new EventNumbering({ db, log });
  const passwords = new PasswordHasher();
  const refusals = new RefusalRecorder({ db, log });
  const bound = new PendingBound(db, channels, options.MAX_PENDING_ORDERS);
  const applier = new BatchApplier({ db, lanesDb, log, metrics, numbering });
  let server: Awaited<ReturnType<typeof buildServer>> | undefined;
  const days = { failedOrderDays: options.FAILED_ORDER_DAYS, eventDays: options.EVENT_DAYS };
  let isPrepared = false;
  let demo: Demo | null = null;
  const close = () =>
    closeAll({
      // Answers waiting calls at once, so that the server can close.
      watch: async () => watch.close(),
      eventWatch: async () => eventWatch.close(),
      calls: async () => server?.close(),
      listener: () => listener.close(),
      applier: () => applier.close(),
      events: () => numbering.settle(),
      jobs: () => announcer.close(),
      refusals: () => refusals.close(),
      schema: () => schema.close(),
      lanesDatabase: () => lanesDb.destroy(),
      database: () => db.destroy(),
    });
  try {
    server = await buildServer({
      db,
      log,
      metrics: addHttpMetrics(metrics),
      results: new ResultReader(db, channels, watch),
      channels,
      eventWatch,
      region: options.REGION,
      publicUrl: options.publicUrl,
      webhookAllowPrivate: options.WEBHOOK_ALLOW_PRIVATE,
      verifier: new CallVerifier(db),
      refusals,
      passwords,
      sessions: new OperatorSessions(passwords),
      loginProvider: options.oidc && new LoginProvider(options.oidc, log),
      hasPasswordLogin: options.PASSWORD_LOGIN === 'on',
      acceptor: new BatchAcceptor({ db, announcer, bound, metrics, onCompleted: () => numbering.number() }),
      applier,
      cancel: (patient, ...asked) => cancelBatch(patient, { log, metrics, numbering }, ...asked),
      reads: new FairQueue(READS),
      changes: new FairQueue(CHANGES),
      keyed: new FairQueue(KEYED),
      lanesDb,
      queue,
      aged: [...agedAccess, ...agedOperators, ...agedOrders(days), ...agedWebhooks(days)],
      schema,
      writes,
      isPrepared: () => isPrepared,
      demo: () => demo,
    });
    const baseUrl = await server.listen({ host: options.HOST, port: options.PORT, backlog: MOST_CONNECTIONS });
    demo = (await options.prepare?.(baseUrl)) ?? null;
    isPrepared = true;
    return { baseUrl, untilReady: () => schema.untilCurrent(), close };
  } catch (error) {
    await close();
    throw explainListenFault(error, options.HOST, options.PORT);
  }
}

function openPools(
  { DATABASE_URL: url, DATABASE_POOL: poolSize, log }: ApiOptions,
  writes: WriteOutcomes,
): { db: Database; lanesDb: Database } {
  const onError = (error: Error) => log.warn({ err: error }, 'database connection failed');
  const common = { url, writes, onError };
  return {
    db: openDatabase({ ...common, applicationName: 'lockstep-api', poolSize, queryTimeoutMs: QUERY_TIMEOUT_MS }),
    lanesDb: openDatabase({ ...common, applicationName: 'lockstep-lanes', ...LANES_POOL }),
  };
}
