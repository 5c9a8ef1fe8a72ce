/** An order as a job of a peer: its number, and what was sent. */
export interface PeerJob {
  id: number;
  order: { assets: { assetNos: string[] }[] };
}

/** Where a peer keeps its jobs, and how many it is to have under way at once. */
interface PeerPlace {
  databaseUrl: string;
  redisUrl: string;
}

/** The producing end of a peer's queue. */
interface PeerProducer {
  /** Adds a job for each, in one go. */
  add(jobs: readonly PeerJob[]): Promise<void>;
  close(): Promise<void>;
}

/** A queue that the service is compared with: one job an order, tuned as its documentation advises for throughput. */
export interface Peer {
  /** Creates what it needs, and opens its producing end. */
  openProducer(place: PeerPlace): Promise<PeerProducer>;
  /** Carries jobs out, until the process ends. */
  startWorker(place: PeerPlace, carryOut: (job: PeerJob) => Promise<void>): Promise<void>;
}

/** Jobs that a worker has under way at once: more than it has connections, so that these have no pauses. */
export const JOBS_AT_ONCE = 24;
/** Connections for the transactions of a worker's jobs. */
export const WORKER_CONNECTIONS = 20;
