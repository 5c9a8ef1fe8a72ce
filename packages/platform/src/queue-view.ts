import type { Queue } from 'bullmq';
import type { Logger } from './log.ts';
import type { QueueBackend } from './queue-backend.ts';
import { createErrorLogger, withTimeout } from './queue-limits.ts';
import { openPostgresQueue } from './queue-postgres.ts';
import { openRedisQueue } from './queue-redis.ts';

/** How long work on a queue may take that an operator looks at. */
const WORK_TIMEOUT_MS = 5_000;
/** An operator waits for another one rather than that a process takes more of the server's connections. */
const POSTGRES_CONNECTIONS = 3;

/** BullMQ's queue, for a board that shows it. */
export type ViewedQueue = Queue;

/** How many jobs of a queue there are, by what becomes of them. Those that succeeded or failed are gone at once. */
export interface JobCounts {
  waiting: number;
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
  return {
    kind: backend.kind,
    use,
    countJobs: async () => {
      try {
        const counts = await use((queue) => queue.getJobCounts('waiting', 'active', 'delayed', 'failed', 'completed'));
        const { waiting = 0, active = 0, delayed = 0, failed = 0, completed = 0 } = counts;
        return { waiting, active, delayed, failed, completed };
      } catch (error) {
        logError(error as Error);
        return null;
      }
    },
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
  return openPostgresQueue(backend.url, name, logError, POSTGRES_CONNECTIONS) as unknown as OpenedQueue;
}
