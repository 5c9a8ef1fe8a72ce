import type { CallVerifier, PasswordHasher, RefusalRecorder } from '@lockstep/access';
import type { Region } from '@lockstep/assets';
import type { ApplicationId, CancelBatch, CancelledBatch } from '@lockstep/contract';
import type { OperatorSessions } from '@lockstep/operators';
import type { BatchAcceptor, BatchApplier, ChannelReader, Job, ResultReader, Watch } from '@lockstep/orders';
import type { Aged, Database, FairQueue, JobQueue, Logger, SchemaWatch, WriteOutcomes } from '@lockstep/platform';
import type { BatchReader, Bodies } from './calls/bodies.ts';
import type { LoginProvider } from './login-provider.ts';
import type { HttpMetrics } from './metrics.ts';

/** The services that the operations use. */
export interface ServerOptions {
  db: Database;
  log: Logger;
  metrics: HttpMetrics;
  verifier: CallVerifier;
  refusals: RefusalRecorder;
  passwords: PasswordHasher;
  /** Console sessions of operators. */
  sessions: OperatorSessions;
  /** By which operators log in; null if by password only. */
  loginProvider: LoginProvider | null;
  hasPasswordLogin: boolean;
  acceptor: BatchAcceptor;
  applier: BatchApplier;
  cancel: (db: Database, applicationId: ApplicationId, request: CancelBatch) => Promise<CancelledBatch>;
  results: ResultReader;
  channels: ChannelReader;
  eventWatch: Watch<ApplicationId>;
  bodies: Bodies;
  batches: BatchReader;
  /** The turns of calls that may read thousands of rows: lists, searches by asset number, contents, previews. */
  reads: FairQueue;
  /** The turns of calls that wait for lanes or for data that orders are changing: cancels, O6, O7, M4, M9 and M10. */
  changes: FairQueue;
  /** The turns of calls with an Idempotency-Key. */
  keyed: FairQueue;
  /** The pool for calls that wait for lanes or take these turns. */
  lanesDb: Database;
  region: Region;
  /** The address at which clients reach the service, usually a proxy. Null if the operator has not set it. */
  publicUrl: string | null;
  /** Whether webhooks can have any address. */
  webhookAllowPrivate: boolean;
  queue: JobQueue<Job>;
  /** The data that workers delete after its retention period. */
  aged: readonly Aged[];
  schema: SchemaWatch;
  /** The outcomes of this process's recent writes. */
  writes: WriteOutcomes;
  /** Whether the preparation at start-up is done. */
  isPrepared: () => boolean;
  /** The demo that `npm start` created; null in a deployment, and until the demo exists. */
  demo: () => Demo | null;
}

/** What the console shows of the demo. Nothing in it is secret. */
export interface Demo {
  /** The key of the demo application. */
  appKey: string;
  /** The file with the password and the other credentials. */
  file: string;
}
