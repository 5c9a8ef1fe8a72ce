/** An order as a peer's job: its number and its content. */
export interface PeerJob {
  id: number;
  order: { assets: { assetNos: string[] }[] };
}

/** Where a peer stores its jobs. */
interface PeerPlace {
  databaseUrl: string;
  redisUrl: string;
}

/** The producer of a peer's queue. */
interface PeerProducer {
  /** Adds all jobs at once. */
  add(jobs: readonly PeerJob[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * A queue that the service is compared with: one job for each order, tuned for throughput as its documentation says.
 */
export interface Peer {
  /** Creates the queue and opens a producer. */
  openProducer(place: PeerPlace): Promise<PeerProducer>;
  /** Runs jobs until the process exits. */
  startWorker(place: PeerPlace, carryOut: (job: PeerJob) => Promise<void>): Promise<void>;
}

/** Concurrent jobs of a worker: more than its connections, to keep those busy. */
export const JOBS_AT_ONCE = 24;
/** Connections for the transactions of a worker's jobs. */
export const WORKER_CONNECTIONS = 20;
