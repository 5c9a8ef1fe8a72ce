import { agedAccess, CallVerifier, PasswordHasher } from '@lockstep/access';
import type { Region } from '@lockstep/assets';
import { explainListenFault, RELEASE } from '@lockstep/config';
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
import { addHttpMetrics } from './metrics.ts';
import type { Demo } from './options.ts';
import { buildServer } from './server.ts';

/** How long a call waits for one query before it fails with code 500. */
const QUERY_TIMEOUT_MS = 10_000;
/** How many calls of a kind run at once in a process, and how many of one application or enterprise run and wait. */
const READS = { atOnce: 4, atOnceOfParty: 2, maxWaiting: 250 };
const CHANGES = { atOnce: 12, atOnceOfParty: 2, maxWaiting: 250 };
/**
 * The connection pool of calls that wait for lanes or for data that orders are changing: sync batches, cancels, O6, O7,
 * M4, M9 and M10. They take longer than other calls, so a pool of their own keeps them from taking all connections.
 */
const LANES_POOL = {
  poolSize: SYNC_GROUPS_AT_ONCE + CHANGES.atOnce + 1,
  queryTimeoutMs: 60_000,
  lockTimeoutMs: 15_000,
};

export interface ApiOptions {
  databaseUrl: string;
  /** Connections for all calls, except those in the lanes pool. */
  poolSize: number;
  queue: QueueBackend;
  /** How many pending orders an application can have (config.MAX_PENDING_ORDERS). */
  maxPendingOrders: number;
  /** Days for which workers keep the contents of failed orders, and events (config). */
  failedOrderDays: number;
  eventDays: number;
  log: Logger;
  metrics: OrderMetrics;
  /** The region mark of new asset numbers (interface O9). */
  region: Region;
  /** The address at which clients reach the service (config.publicUrl). */
  publicUrl: string | null;
  /** Whether webhooks can have any address (config.WEBHOOK_ALLOW_PRIVATE). */
  webhookAllowPrivate: boolean;
  host: string;
  /** 0 uses any free port. */
  port: number;
  /** Prepares data, such as the demo, before the process reports ready. The server already listens. */
  prepare?: (baseUrl: string) => Promise<Prepared>;
}

/** Prepared data that the front page shows. */
interface Prepared {
  demo: Demo | null;
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
  const { databaseUrl, log, metrics } = options;
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
    url: databaseUrl,
    applicationName: 'lockstep-watch',
    subscribers: [watch, eventWatch],
    onLost: (error) => log.warn({ err: error }, 'listener connection lost; polling'),
  });
  void schema.untilCurrent().then(() => listener.start());
  const numbering = new EventNumbering({ db, log });
  const passwords = new PasswordHasher();
  const bound = new PendingBound(db, channels, options.maxPendingOrders);
  const applier = new BatchApplier({ db, lanesDb, log, metrics, numbering });
  let server: Awaited<ReturnType<typeof buildServer>> | undefined;
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
      region: options.region,
      publicUrl: options.publicUrl,
      webhookAllowPrivate: options.webhookAllowPrivate,
      verifier: new CallVerifier(db),
      passwords,
      sessions: new OperatorSessions(passwords),
      acceptor: new BatchAcceptor({ db, announcer, bound, metrics, onCompleted: () => numbering.number() }),
      applier,
      cancel: (patient, ...asked) => cancelBatch(patient, { log, metrics, numbering }, ...asked),
      reads: new FairQueue(READS),
      changes: new FairQueue(CHANGES),
      lanesDb,
      queue,
      aged: [...agedAccess, ...agedOperators, ...agedOrders(options), ...agedWebhooks(options)],
      schema,
      writes,
      isPrepared: () => isPrepared,
      demo: () => demo,
    });
    const baseUrl = await server.listen({ host: options.host, port: options.port, backlog: MOST_CONNECTIONS });
    demo = (await options.prepare?.(baseUrl))?.demo ?? null;
    isPrepared = true;
    return { baseUrl, untilReady: () => schema.untilCurrent(), close };
  } catch (error) {
    await close();
    throw explainListenFault(error, options.host, options.port);
  }
}

function openPools(
  { databaseUrl, poolSize, log }: ApiOptions,
  writes: WriteOutcomes,
): { db: Database; lanesDb: Database } {
  const onError = (error: Error) => log.warn({ err: error }, 'database connection failed');
  const common = { url: databaseUrl, writes, onError };
  return {
    db: openDatabase({ ...common, applicationName: 'lockstep-api', poolSize, queryTimeoutMs: QUERY_TIMEOUT_MS }),
    lanesDb: openDatabase({ ...common, applicationName: 'lockstep-lanes', ...LANES_POOL }),
  };
}
