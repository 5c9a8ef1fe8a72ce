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
 * Opens the producing end of a queue. While the backend is unavailable, it logs that, `isReachable` is false, and it
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

/** Starts processing jobs. Waits while the backend is unavailable, and reconnects. */
export function openConsumer<Job>(backend: QueueBackend, name: string, options: ConsumerOptions<Job>): JobConsumer {
  return backend.kind === 'redis'
    ? openRedisConsumer(backend, name, options)
    : openPostgresConsumer(backend.url, name, options);
}

/** The time limit of a look. */
const LOOK_TIMEOUT_MS = 5_000;
/**
 * A look uses few of the server's connections. Each query has a time limit, like each command to Redis, so a look that
 * timed out also ends.
 */
const POSTGRES_BOUNDS = { poolSize: 3, queryTimeoutMs: LOOK_TIMEOUT_MS };
/** The most jobs of each state that a look lists. */
const MAX_JOBS_OF_STATE = 20;

/** The states of jobs. Jobs that succeed are removed at once. */
const STATES = ['active', 'failed', 'delayed', 'waiting'] as const;
type JobState = (typeof STATES)[number];

/** A job as BullMQ stores it. */
interface SeenJob {
  jobId: string;
  state: JobState;
  type: string;
  /** As the producer added it, possibly from another release. */
  data: unknown;
  /** How many times a worker started it. */
  attempts: number;
  /** The worker that is processing it, or processed it last. */
  worker: string | null;
  addedTime: number;
  /** When it was started, failed, or will start; null for a waiting job. */
  stateTime: number | null;
  failure: string | null;
}

/** The state of a queue. */
export interface QueueSight {
  counts: Record<JobState, number>;
  /** The newest jobs of each state, except the delayed ones: those that start first. */
  jobs: SeenJob[];
  /** The names of the connected workers; null if Redis does not allow listing its clients. */
  workers: string[] | null;
}

/** Shows operators the state of a queue, through its own connections, so that it delays no producer or consumer. */
export interface QueueView {
  kind: QueueBackend['kind'];
  /** Returns null if the queue is unreachable. */
  look(): Promise<QueueSight | null>;
  close(): Promise<void>;
}

interface OpenedQueue {
  queue: Queue;
  close: () => Promise<void>;
}

/** Connects at the first look. After a look that failed, the next one opens new connections. */
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
  // The same class, with another backend.
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

/** BullMQ lists workers by the names of their connections. */
async function listWorkers(queue: Queue): Promise<string[] | null> {
  try {
    const names = (await queue.getWorkers()).map(({ rawname }) => rawname?.split(':w:', 2)[1]);
    return names.every((name) => name !== undefined) ? names.sort() : null;
  } catch (error) {
    if ((error as Error).name === 'ReplyError') return null;
    throw error;
  }
}
