import type { Queue } from 'bullmq';
import type { Logger } from './log.ts';
import type { QueueBackend } from './queue-backend.ts';
import { createErrorLogger, withTimeout } from './queue-limits.ts';
import { openPostgresQueue } from './queue-postgres.ts';
import { openRedisQueue } from './queue-redis.ts';

/** How long work on a queue may take that an operator looks at. */
const WORK_TIMEOUT_MS = 5_000;
/**
 * An operator waits for another one rather than that a process takes more of the server's connections. Each query ends in
 * time, as each command to Redis does, so that work which was given up ends too.
 */
const POSTGRES_BOUNDS = { poolSize: 3, queryTimeoutMs: WORK_TIMEOUT_MS };

/** BullMQ's queue, for a board that shows it. */
export type ViewedQueue = Queue;

/** How many jobs of a queue there are, by what becomes of them. Those that succeeded or failed are gone at once. */
export interface JobCounts {
  waiting: number;
  /** Those that would wait, but that nobody takes because the queue is paused. */
  paused: number;
  active: number;
  delayed: number;
  failed: number;
  completed: number;
}

/** Looks into a queue for operators, on connections of its own, so that nothing of it delays what puts jobs in or takes them. */
export interface QueueView {
  kind: QueueBackend['kind'];
  /** Counts the jobs; null if the queue cannot be reached. */
  countJobs(): Promise<JobCounts | null>;
  /** Whether the queue is paused, so that workers take no job from it; null if it cannot be reached. */
  isPaused(): Promise<boolean | null>;
  /** Works with the queue. Rejects within seconds when the backend cannot be reached, or the work takes too long. */
  use<Result>(work: (queue: ViewedQueue) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

interface OpenedQueue {
  queue: ViewedQueue;
  close: () => Promise<void>;
}

/**
 * Looks into a queue. The first look opens its connections, so a process in which nobody looks has none; after a look that
 * failed because the backend was away, the next one opens others.
 */
export function openQueueView(backend: QueueBackend, name: string, log: Logger): QueueView {
  const logError = createErrorLogger(log, name);
  let opened: OpenedQueue | undefined;
  const dropIfAway = async (used: OpenedQueue) => {
    const isAway = await withTimeout(used.queue.getMeta()).then(
      () => false,
      () => true,
    );
    if (!isAway || opened !== used) return;
    opened = undefined;
    await withTimeout(used.close()).catch(logError);
  };
  const use = async <Result>(work: (queue: ViewedQueue) => Promise<Result>): Promise<Result> => {
    opened ??= open(backend, name, logError);
    const used = opened;
    try {
      return await withTimeout(work(used.queue), WORK_TIMEOUT_MS);
    } catch (error) {
      // Whoever looks need not wait for this.
      void dropIfAway(used);
      throw error;
    }
  };
  /** The same, null where that rejects: the log says why. */
  const read = async <Result>(work: (queue: ViewedQueue) => Promise<Result>): Promise<Result | null> => {
    try {
      return await use(work);
    } catch (error) {
      logError(error as Error);
      return null;
    }
  };
  return {
    kind: backend.kind,
    use,
    isPaused: () => read((queue) => queue.isPaused()),
    countJobs: () => read(countJobs),
    async close() {
      const last = opened;
      opened = undefined;
      if (last !== undefined) await withTimeout(last.close()).catch(logError);
    },
  };
}

function open(backend: QueueBackend, name: string, logError: (error: Error) => void): OpenedQueue {
  if (backend.kind === 'redis') return openRedisQueue(backend, name, logError);
  // Of the same class but for what it keeps jobs in.
  return openPostgresQueue(backend.url, name, logError, POSTGRES_BOUNDS) as unknown as OpenedQueue;
}

async function countJobs(queue: ViewedQueue): Promise<JobCounts> {
  const [counts, ofPriorities, isPaused] = await Promise.all([
    queue.getJobCounts('active', 'delayed', 'failed', 'completed'),
    // BullMQ (6.7) on PostgreSQL does not count as waiting what a paused queue holds; by priority it does. Ours have none.
    queue.getCountsPerPriority([0]),
    queue.isPaused(),
  ]);
  const { active = 0, delayed = 0, failed = 0, completed = 0 } = counts;
  const held = ofPriorities[0] ?? 0;
  return { waiting: isPaused ? 0 : held, paused: isPaused ? held : 0, active, delayed, failed, completed };
}
