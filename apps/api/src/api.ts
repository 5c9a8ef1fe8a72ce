import { CallVerifier, PasswordHasher } from '@lockstep/access';
import type { Region } from '@lockstep/assets';
import {
  BatchAcceptor,
  BatchApplier,
  BatchCanceller,
  BatchPreviewer,
  BatchWatch,
  CANCELS_AT_ONCE,
  type Job,
  JobAnnouncer,
  QUEUE_NAME,
  SYNC_GROUPS_AT_ONCE,
} from '@lockstep/orders';
import {
  type Closable,
  closeAll,
  type Database,
  type Logger,
  listenFault,
  type Metrics,
  openProducer,
  type QueueBackend,
  SchemaWatch,
  TransactionQueue,
} from '@lockstep/platform';
import { buildServer } from './server.ts';

/** How long a call waits for PostgreSQL before it is answered with code 500. */
export const API_QUERY_TIMEOUT_MS = 10_000;
/** Connections of M4, M9 and M10, and of these those of one enterprise. */
const HOLDING_CHANGES = { atOnce: 6, atOnceOfParty: 2 };
/** The same of O6 and O7, and of one application. */
const LOCK_CHANGES = { atOnce: 3, atOnceOfParty: 2 };
/**
 * The connections of calls that wait for lanes or for what orders are changing: sync, cancel, O6, O7, M4, M9 and M10. They write
 * what thousands of orders change, or wait for others that do, so they take longer than other calls and keep none of
 * those waiting.
 */
export const LANES_POOL = {
  poolSize: SYNC_GROUPS_AT_ONCE + CANCELS_AT_ONCE + HOLDING_CHANGES.atOnce + LOCK_CHANGES.atOnce + 1,
  queryTimeoutMs: 60_000,
  lockTimeoutMs: 15_000,
};

export interface ApiOptions {
  db: Database;
  /** Connections of LANES_POOL. */
  lanesDb: Database;
  /** For the connection that listens for finished orders. */
  databaseUrl: string;
  queue: QueueBackend;
  log: Logger;
  metrics: Metrics;
  /** Which asset numbers it hands out (O9). */
  region: Region;
  /** Where clients find the service (config.publicUrl). */
  publicUrl: string | null;
  host: string;
  /** 0 takes any free port. */
  port: number;
}

export interface RunningApi extends Closable {
  baseUrl: string;
  /** Resolves once operations are carried out: the database is there, with the schema of this release. */
  untilReady(): Promise<void>;
}

/**
 * Starts to answer calls, at once: operations with service_unavailable until the database can be used. Closing takes no
 * more calls and finishes those that run.
 */
export async function startApi(options: ApiOptions): Promise<RunningApi> {
  const { db, lanesDb, log, metrics } = options;
  const schema = new SchemaWatch({ db, queue: options.queue, log });
  const producer = openProducer<Job>(options.queue, QUEUE_NAME, log);
  const announcer = new JobAnnouncer(producer, log, metrics);
  const watch = new BatchWatch(options.databaseUrl, log);
  void schema.untilCurrent().then(() => watch.start());
  // On PostgreSQL the queue's tables are a part of the schema.
  const isQueueReachable = async () =>
    (options.queue.kind !== 'postgres' || (await schema.isCurrent())) && (await producer.isReachable());
  const applier = new BatchApplier({ db, lanesDb, log, metrics });
  const server = await buildServer({
    db,
    log,
    metrics,
    watch,
    region: options.region,
    publicUrl: options.publicUrl,
    verifier: new CallVerifier(db),
    passwords: new PasswordHasher(),
    holdingChanges: new TransactionQueue(lanesDb, HOLDING_CHANGES),
    lockChanges: new TransactionQueue(lanesDb, LOCK_CHANGES),
    acceptor: new BatchAcceptor(db, announcer, metrics),
    applier,
    previewer: new BatchPreviewer(db),
    canceller: new BatchCanceller({ db, lanesDb, log, metrics }),
    isQueueReachable,
    schema,
  });
  const close = () =>
    closeAll(
      // Calls that wait for a result are answered with what there is, so that the server can close.
      () => watch.close(),
      () => server.close(),
      () => applier.close(),
      () => announcer.close(),
      () => schema.close(),
    );
  try {
    const baseUrl = await server.listen({ host: options.host, port: options.port });
    return { baseUrl, untilReady: () => schema.untilCurrent(), close };
  } catch (error) {
    await close();
    throw listenFault(error, options.host, options.port);
  }
}
