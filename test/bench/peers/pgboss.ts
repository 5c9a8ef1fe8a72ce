import { PgBoss } from 'pg-boss';
import type { Peer, PeerJob } from './peer.ts';

const QUEUE = 'peer';
const JOBS_PER_FETCH = 100;

/**
 * pg-boss: inserts and fetches jobs in batches, fetches again while batches are full, and listens for notifications.
 */
export const pgboss: Peer = {
  async openProducer({ databaseUrl }) {
    const boss = new PgBoss({ connectionString: databaseUrl, max: 10, useListenNotify: true });
    boss.on('error', () => {});
    await boss.start();
    await boss.createQueue(QUEUE, { notify: true });
    return {
      async add(jobs) {
        await boss.insert(
          QUEUE,
          jobs.map((data) => ({ data })),
        );
      },
      close: () => boss.stop(),
    };
  },
  async startWorker({ databaseUrl }, carryOut) {
    const boss = new PgBoss({ connectionString: databaseUrl, max: 10, useListenNotify: true });
    boss.on('error', () => {});
    await boss.start();
    const options = {
      batchSize: JOBS_PER_FETCH,
      localConcurrency: 2,
      burstWhenBatchFull: true,
      pollingIntervalSeconds: 0.5,
    };
    await boss.work<PeerJob>(QUEUE, options, async (jobs) => {
      await Promise.all(jobs.map((job) => carryOut(job.data)));
    });
  },
};
