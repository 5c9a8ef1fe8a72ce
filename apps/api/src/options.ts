import type { CallVerifier, PasswordHasher } from '@lockstep/access';
import type { ContentsReader, Region, VirtualAssetReader } from '@lockstep/assets';
import type { OperatorSessions } from '@lockstep/operators';
import type {
  BatchAcceptor,
  BatchApplier,
  BatchCanceller,
  BatchPreviewer,
  BatchWatch,
  ChannelReader,
  EventWatch,
  FailedBatchReader,
  ResultReader,
} from '@lockstep/orders';
import type {
  Aged,
  Database,
  FairQueue,
  Logger,
  QueueView,
  SchemaWatch,
  TransactionQueue,
  WriteOutcomes,
} from '@lockstep/platform';
import type { HttpMetrics } from './metrics.ts';

/** What the operations work with. */
export interface ServerOptions {
  db: Database;
  log: Logger;
  metrics: HttpMetrics;
  verifier: CallVerifier;
  passwords: PasswordHasher;
  /** The sessions of operators in the console. */
  sessions: OperatorSessions;
  acceptor: BatchAcceptor;
  applier: BatchApplier;
  canceller: BatchCanceller;
  previewer: BatchPreviewer;
  results: ResultReader;
  channels: ChannelReader;
  watch: BatchWatch;
  eventWatch: EventWatch;
  failedBatches: FailedBatchReader;
  /** What is on assets. */
  contents: ContentsReader;
  virtualAssets: VirtualAssetReader;
  /**
   * Runs searches by asset number, applications take turns: what a number stands in may be megabytes, and what happened
   * to it half a million steps.
   */
  numberSearches: FairQueue;
  /** Runs the transactions of M4, M9 and M10; enterprises take turns. */
  holdingChanges: TransactionQueue;
  /** Runs the transactions of O6 and O7; applications take turns. */
  lockChanges: TransactionQueue;
  region: Region;
  /** Where clients find the service: the address of the proxy in front. Null where the operator has not set it. */
  publicUrl: string | null;
  /** Whether webhooks may be at any address. */
  webhookAllowPrivate: boolean;
  isQueueReachable: () => Promise<boolean>;
  /** The jobs of the queue, for operators. */
  queueView: QueueView;
  /** What workers delete because of its age. */
  aged: readonly Aged[];
  schema: SchemaWatch;
  /** How the process's own writes end. */
  writes: WriteOutcomes;
  /** Whether all is there that the process prepares when it starts. */
  isPrepared: () => boolean;
  /** The demo that `npm start` made; null in a deployment, and until it is there. */
  demo: () => Demo | null;
}

/** What the demo has for a newcomer; nothing of it is secret. */
export interface Demo {
  /** The key of the demo application. */
  appKey: string;
  /** With which name one logs in to the console. */
  operatorName: string;
  /** The file with the password and the other credentials. */
  file: string;
}
