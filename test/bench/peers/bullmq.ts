import { Queue, Worker } from 'bullmq';
import { JOBS_AT_ONCE, type Peer, type PeerJob } from './peer.ts';

const QUEUE = 'peer';

/** BullMQ on Redis: adds jobs in bulk, runs many concurrently, and removes completed jobs. */
export const bullmq: Peer = {
  async openProducer({ redisUrl }) {
    const queue = new Queue<PeerJob>(QUEUE, { connection: { url: redisUrl } });
    await queue.waitUntilReady();
    const opts = { removeOnComplete: true, removeOnFail: true };
    return {
      async add(jobs) {
        await queue.addBulk(jobs.map((data) => ({ name: 'order', data, opts })));
      },
      close: () => queue.close(),
    };
  },
  async startWorker({ redisUrl }, carryOut) {
    const worker = new Worker<PeerJob>(QUEUE, (job) => carryOut(job.data), {
      connection: { url: redisUrl, maxRetriesPerRequest: null },
      concurrency: JOBS_AT_ONCE,
    });
    await worker.waitUntilReady();
  },
};
