import { agedAccess, CallVerifier, PasswordHasher, RefusalRecorder } from '@lockstep/access';
import { type DeploymentConfig, RELEASE } from '@lockstep/config';
import type { ApplicationId, CancelBatch } from '@lockstep/contract';
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
  type Database,
  FairQueue,
  JobQueue,
  type Logger,
  openDatabase,
  type QueueBackend,
  SchemaWatch,
  WriteOutcomes,
} from '@lockstep/platform';
import { agedWebhooks, registerWebhookGauges } from '@lockstep/webhooks';
import type { BatchReader, Bodies } from './calls/bodies.ts';
import { LoginProvider } from './login-provider.ts';
import { addHttpMetrics } from './metrics.ts';

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

/** What the console shows of the demo. Nothing in it is secret. */
export interface Demo {
  /** The key of the demo application. */
  appKey: string;
  /** The file with the password and the other credentials. */
  file: string;
}

/** Opens the services that the operations use. Connections open when they are needed. */
export function openServices(options: ApiOptions) {
  const { log, metrics, DATABASE_URL: url } = options;
  const writes = new WriteOutcomes();
  const pools = { url, writes, onError: (error: Error) => log.warn({ err: error }, 'database connection failed') };
  const pool = { poolSize: options.DATABASE_POOL, queryTimeoutMs: QUERY_TIMEOUT_MS };
  const db = openDatabase({ ...pools, ...pool, applicationName: 'lockstep-api' });
  const lanesDb = openDatabase({ ...pools, ...LANES_POOL, applicationName: 'lockstep-lanes' });
  const channels = new ChannelReader(db);
  registerBacklogGauges(metrics.registry, db, channels);
  registerWebhookGauges(metrics.registry, db);
  const queue = new JobQueue<Job>(options.queue, QUEUE_NAME, log);
  const announcer = new JobAnnouncer(queue, log, metrics);
  const batchWatch = watchBatches(db);
  const numbering = new EventNumbering({ db, log });
  const passwords = new PasswordHasher();
  const bound = new PendingBound(db, channels, options.MAX_PENDING_ORDERS);
  let prepared: { demo: Demo | null } | undefined;
  const days = { failedOrderDays: options.FAILED_ORDER_DAYS, eventDays: options.EVENT_DAYS };
  return {
    db,
    log,
    metrics: addHttpMetrics(metrics),
    results: new ResultReader(db, channels, batchWatch),
    channels,
    batchWatch,
    eventWatch: watchEvents(db),
    region: options.REGION,
    /** The address at which clients reach the service, usually a proxy. Null if the operator has not set it. */
    publicUrl: options.publicUrl,
    /** Whether webhooks can have any address. */
    webhookAllowPrivate: options.WEBHOOK_ALLOW_PRIVATE,
    verifier: new CallVerifier(db),
    refusals: new RefusalRecorder({ db, log }),
    passwords,
    /** Console sessions of operators. */
    sessions: new OperatorSessions(passwords),
    /** By which operators log in; null if by password only. */
    loginProvider: options.oidc && new LoginProvider(options.oidc, log),
    hasPasswordLogin: options.PASSWORD_LOGIN === 'on',
    numbering,
    announcer,
    acceptor: new BatchAcceptor({ db, announcer, bound, metrics, onCompleted: () => numbering.number() }),
    applier: new BatchApplier({ db, lanesDb, log, metrics, numbering }),
    cancel: (patient: Database, applicationId: ApplicationId, request: CancelBatch) =>
      cancelBatch(patient, { log, metrics, numbering }, applicationId, request),
    /** The turns of calls that may read thousands of rows: lists, searches by asset number, contents, previews. */
    reads: new FairQueue(READS),
    /** The turns of calls that wait for lanes or for data that orders are changing: cancels, O6, O7, M4, M9 and M10. */
    changes: new FairQueue(CHANGES),
    /** The turns of calls with an Idempotency-Key. */
    keyed: new FairQueue(KEYED),
    /** The pool for calls that wait for lanes or take these turns. */
    lanesDb,
    queue,
    /** The data that workers delete after its retention period. */
    aged: [...agedAccess, ...agedOperators, ...agedOrders(days), ...agedWebhooks(days)],
    schema: new SchemaWatch({ db, release: RELEASE, queue: options.queue, log }),
    /** The outcomes of this process's recent writes. */
    writes,
    /** Prepares the demo. The process is not ready before. */
    prepare: async (baseUrl: string) => {
      prepared = { demo: (await options.prepare?.(baseUrl)) ?? null };
    },
    isPrepared: () => prepared !== undefined,
    /** The demo that `npm start` created; null in a deployment, and until the demo exists. */
    demo: () => prepared?.demo ?? null,
  };
}

/** What the operations use. */
export type Services = ReturnType<typeof openServices> & { bodies: Bodies; batches: BatchReader };
