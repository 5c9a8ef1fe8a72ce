import type { Queue } from 'bullmq';
import type { Closable } from '../process/lifecycle.ts';
import type { Logger } from '../process/log.ts';
import {
  type ConsumerOptions,
  closeInTime,
  createErrorLogger,
  type OpenedQueue,
  type QueueBackend,
  withTimeout,
} from './backend.ts';
import { openPostgresConsumer, openPostgresQueue } from './postgres.ts';
import { openRedisConsumer, openRedisQueue } from './redis.ts';

/** Failed jobs are not retried (see ConsumerOptions); the latest are kept for operators. */
const JOB_OPTIONS = { removeOnComplete: true, removeOnFail: 100, attempts: 1 };

/** The most jobs of each state that a look lists. */
const MAX_JOBS_OF_STATE = 20;

/** The states of jobs. Jobs that succeed are removed at once. */
const STATES = ['active', 'failed', 'delayed', 'waiting'] as const;
type JobState = (typeof STATES)[number];

/** The state of a queue. */
export type QueueSight = Awaited<ReturnType<typeof lookInto>>;

/**
 * A queue for those who add jobs to it or look at it. A BullMQ queue (6.7) whose first connection fails never recovers,
 * and a client of a Redis Cluster may not either. So the first use opens a queue, and after a failure the next use
 * opens another one. The failed one is closed, and none of its jobs is sent later.
 */
export class JobQueue<Job extends { type: string }> {
  readonly kind: QueueBackend['kind'];
  readonly #log: Logger;
  readonly #logError: (error: Error) => void;
  readonly #open: () => OpenedQueue;
  #opened: OpenedQueue | undefined;

  constructor(backend: QueueBackend, name: string, log: Logger) {
    const logError = createErrorLogger(log, name);
    this.kind = backend.kind;
    this.#log = log;
    this.#logError = logError;
    this.#open = () =>
      backend.kind === 'redis'
        ? openRedisQueue(backend, name, logError)
        : openPostgresQueue(backend.url, name, logError);
  }

  /** Rejects within seconds if the queue is unreachable. */
  async add(job: Job): Promise<void> {
    await this.#use((queue) => queue.add(job.type, job, JOB_OPTIONS));
  }

  /** Whether the queue is reachable now. */
  async isReachable(): Promise<boolean> {
    // Reads a key of the queue, because a node of a cluster may answer while the queue's slot has no owner.
    const reading = this.#use((queue) => queue.getMeta());
    return await reading.then(
      () => true,
      () => false,
    );
  }

  /** Returns the state of the queue; null if it is unreachable. */
  async look(): Promise<QueueSight | null> {
    return await this.#use(lookInto).catch((error: Error) => {
      this.#logError(error);
      return null;
    });
  }

  async close(): Promise<void> {
    if (this.#opened !== undefined) await closeInTime(this.#opened.close(), this.#log);
  }

  async #use<Result>(work: (queue: Queue) => Promise<Result>): Promise<Result> {
    this.#opened ??= this.#open();
    const used = this.#opened;
    try {
      return await withTimeout(work(used.queue));
    } catch (error) {
      if (this.#opened === used) {
        this.#opened = undefined;
        used.close().catch(this.#logError);
      }
      throw error;
    }
  }
}

/** Starts processing jobs. Waits while the backend is unavailable, and reconnects. Closing waits for running jobs. */
export function openConsumer<Job>(backend: QueueBackend, name: string, options: ConsumerOptions<Job>): Closable {
  return backend.kind === 'redis'
    ? openRedisConsumer(backend, name, options)
    : openPostgresConsumer(backend.url, name, options);
}

/** `workers`: the names of the connected ones; null if Redis does not allow listing its clients. */
async function lookInto(queue: Queue) {
  const [counts, workers, ...jobs] = await Promise.all([
    queue.getJobCounts(...STATES),
    listWorkers(queue),
    ...STATES.map((state) => listJobs(queue, state)),
  ]);
  return { counts: counts as Record<JobState, number>, workers, jobs: jobs.flat() };
}

/** Lists the newest jobs of a state, but of the delayed ones those that start first. */
async function listJobs(queue: Queue, state: JobState) {
  const jobs = await queue.getJobs([state], 0, MAX_JOBS_OF_STATE - 1, state === 'delayed');
  return jobs.map((job) => ({
    jobId: job.id!,
    state,
    type: job.name,
    // As the producer added it, possibly from another release.
    data: job.data as unknown,
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
