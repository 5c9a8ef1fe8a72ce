import type { Queue } from 'bullmq';
import type { Logger } from '../process/log.ts';
import type { JobProducer } from './backend.ts';
import { createErrorLogger, JOB_OPTIONS, withTimeout } from './limits.ts';

/** What a producer needs of BullMQ's queue, whatever that keeps jobs in. */
export interface OpenedQueue {
  queue: Pick<Queue, 'add' | 'getMeta'>;
  close: () => Promise<void>;
}

/**
 * The producing end of a queue. A queue of BullMQ (6.7) whose first connection fails stays broken for good, and a
 * client of a Redis Cluster may. So the first call opens a queue, and after a failure the next call opens another one.
 * What was given up is closed, and nothing of it is left to be sent later.
 */
export function reopeningProducer<Job extends { type: string }>(
  open: (logError: (error: Error) => void) => OpenedQueue,
  name: string,
  log: Logger,
): JobProducer<Job> {
  const logError = createErrorLogger(log, name);
  let opened: OpenedQueue | undefined;
  const attempt = async (work: (queue: OpenedQueue['queue']) => Promise<unknown>) => {
    opened ??= open(logError);
    const used = opened;
    try {
      await withTimeout(work(used.queue));
    } catch (error) {
      if (opened === used) {
        opened = undefined;
        used.close().catch(logError);
      }
      throw error;
    }
  };
  return {
    add: (job) => attempt((queue) => queue.add(job.type, job, JOB_OPTIONS)),
    // Reads a key of the queue: a node of a cluster may answer while nobody has the queue's slot.
    isReachable: () =>
      attempt((queue) => queue.getMeta()).then(
        () => true,
        () => false,
      ),
    async close() {
      if (opened === undefined) return;
      await withTimeout(opened.close()).catch((error: unknown) => log.warn({ err: error }, 'queue closed by force'));
    },
  };
}
