import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { JOBS_AT_ONCE, type Peer, type PeerJob } from './peer.ts';

const TASK = 'order';
const logger = new Logger(() => () => {});

/** graphile-worker, tuned as its performance page says: a local queue and completion in batches. */
export const graphile: Peer = {
  async openProducer({ databaseUrl }) {
    const utils = await makeWorkerUtils({ connectionString: databaseUrl, logger });
    await utils.migrate();
    return {
      async add(jobs) {
        await utils.addJobs(jobs.map((payload) => ({ identifier: TASK, payload })));
      },
      close: async () => utils.release(),
    };
  },
  async startWorker({ databaseUrl }, carryOut) {
    await run({
      preset: {
        worker: {
          connectionString: databaseUrl,
          concurrentJobs: JOBS_AT_ONCE,
          maxPoolSize: JOBS_AT_ONCE + 1,
          localQueue: { size: 500 },
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        },
      },
      logger,
      taskList: { [TASK]: (payload) => carryOut(payload as PeerJob) },
    });
  },
};
