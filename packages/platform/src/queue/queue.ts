import type { Queue } from 'bullmq';
import type { Logger } from '../process/log.ts';
import {
  type ConsumerOptions,
  createErrorLogger,
  type JobConsumer,
  type JobProducer,
  type QueueBackend,
  withTimeout,
} from './backend.ts';
import { openPostgresConsumer, openPostgresProducer, openPostgresQueue } from './postgres.ts';
import { openRedisConsumer, openRedisProducer, openRedisQueue } from './redis.ts';

/**
 * Opens the producing end of a queue. When the backend is away, it logs that, `isReachable` is false, and it
 * reconnects.
 */
export function openProducer<Job extends { type: string }>(
  backend: QueueBackend,
  name: string,
  log: Logger,
): JobProducer<Job> {
  return backend.kind === 'redis'
    ? openRedisProducer(backend, name, log)
    : openPostgresProducer(backend.url, name, log);
}

/** Starts to take jobs. It waits while the backend is away, and reconnects. */
export function openConsumer<Job>(backend: QueueBackend, name: string, options: ConsumerOptions<Job>): JobConsumer {
  return backend.kind === 'redis'
    ? openRedisConsumer(backend, name, options)
    : openPostgresConsumer(backend.url, name, options);
}

/** How long a look may take. */
const LOOK_TIMEOUT_MS = 5_000;
/**
 * A look takes few of the server's connections. Each query ends in time, as each command to Redis does, so that a look
 * that timed out ends too.
 */
const POSTGRES_BOUNDS = { poolSize: 3, queryTimeoutMs: LOOK_TIMEOUT_MS };
/** The most jobs of each state that a look lists. */
const MAX_JOBS_OF_STATE = 20;

/** The states of jobs. Those that succeeded are removed at once. */
const STATES = ['active', 'failed', 'delayed', 'waiting'] as const;
type JobState = (typeof STATES)[number];

/** A job as BullMQ keeps it. */
interface SeenJob {
  jobId: string;
  state: JobState;
  type: string;
  /** What the producer put in; another release may have done so. */
  data: unknown;
  /** How often a worker began it. */
  attempts: number;
  /** The worker that has it, or had it last. */
  worker: string | null;
  addedTime: number;
  /** When a worker began it, it failed, or it will begin; null for one that waits. */
  stateTime: number | null;
  failure: string | null;
}

/** What a look into a queue found. */
export interface QueueSight {
  counts: Record<JobState, number>;
  /**
   * The newest jobs of each state; of the delayed ones, those that begin first; of those that wait, those that wait
   * longest.
   */
  jobs: SeenJob[];
  /** The names of the workers that listen; null where Redis does not let its clients be listed. */
  workers: string[] | null;
}

/** Looks into a queue for operators, on connections of its own, so that it delays nothing that adds or takes jobs. */
export interface QueueView {
  kind: QueueBackend['kind'];
  /** Returns null if the queue cannot be reached. */
  look(): Promise<QueueSight | null>;
  close(): Promise<void>;
}

interface OpenedQueue {
  queue: Queue;
  close: () => Promise<void>;
}

/** Opens its connections at the first look; after a look that failed, the next one opens others. */
export function openQueueView(backend: QueueBackend, name: string, log: Logger): QueueView {
  const logError = createErrorLogger(log, name);
  let opened: OpenedQueue | undefined;
  const close = async () => {
    const last = opened;
    opened = undefined;
    if (last !== undefined) await withTimeout(last.close()).catch(logError);
  };
  return {
    kind: backend.kind,
    async look() {
      opened ??= open(backend, name, logError);
      const used = opened;
      try {
        return await withTimeout(lookInto(used.queue), LOOK_TIMEOUT_MS);
      } catch (error) {
        logError(error as Error);
        if (opened === used) void close();
        return null;
      }
    },
    close,
  };
}

function open(backend: QueueBackend, name: string, logError: (error: Error) => void): OpenedQueue {
  if (backend.kind === 'redis') return openRedisQueue(backend, name, logError);
  // Of the same class but for what it keeps jobs in.
  return openPostgresQueue(backend.url, name, logError, POSTGRES_BOUNDS) as unknown as OpenedQueue;
}

async function lookInto(queue: Queue): Promise<QueueSight> {
  const [counts, workers, ...jobs] = await Promise.all([
    queue.getJobCounts(...STATES),
    listWorkers(queue),
    ...STATES.map((state) => listJobs(queue, state)),
  ]);
  return { counts: counts as QueueSight['counts'], workers, jobs: jobs.flat() };
}

async function listJobs(queue: Queue, state: JobState): Promise<SeenJob[]> {
  const jobs = await queue.getJobs([state], 0, MAX_JOBS_OF_STATE - 1, state === 'delayed');
  return jobs.map((job) => ({
    jobId: job.id!,
    state,
    type: job.name,
    data: job.data,
    attempts: job.attemptsStarted,
    worker: job.processedBy ?? null,
    addedTime: job.timestamp,
    stateTime: {
      active: job.processedOn ?? null,
      failed: job.finishedOn ?? null,
      delayed: job.timestamp + job.delay,
      waiting: null,
    }[state],
    failure: job.failedReason || null,
  }));
}

/** BullMQ lists them by the names of their connections. */
async function listWorkers(queue: Queue): Promise<string[] | null> {
  try {
    const names = (await queue.getWorkers()).map(({ rawname }) => rawname?.split(':w:', 2)[1]);
    return names.every((name) => name !== undefined) ? names.sort() : null;
  } catch (error) {
    if ((error as Error).name === 'ReplyError') return null;
    throw error;
  }
}
