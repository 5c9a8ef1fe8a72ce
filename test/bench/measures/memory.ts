import { HEAP_OF_512_MIB } from '../../harness/processes/service-process.ts';
import { withDeployment } from '../deployment.ts';
import { prepareLoad } from '../load/load.ts';
import { readPeakMebibytes } from '../report/processor-time.ts';
import { type Measure, scaled } from './measure.ts';

const CALLS = 16;
const ORDERS_PER_BATCH = 2_000;

/** Peak resident memory of each process with the heap that it gets in 512 MiB, at 16 calls of 2,000 orders at once. */
export const memoryMeasure: Measure = {
  name: 'memory',
  of: 'service',
  run: (bench, edition) =>
    withDeployment(bench, edition, { nodeOptions: HEAP_OF_512_MIB }, async (deployment) => {
      const ordersPerBatch = scaled(bench, ORDERS_PER_BATCH);
      const work = deployment.batches(CALLS, ordersPerBatch, 'async', { kind: 'callers', callers: CALLS });
      const { startedMs, endedMs, repeats } = await (await prepareLoad(work)).run();
      const appliedMs = await deployment.untilApplied();
      await deployment.assertApplied(work.requests.tag, CALLS * ordersPerBatch);
      return {
        'API MiB': readPeakMebibytes(deployment.api.pid),
        'worker MiB': readPeakMebibytes(deployment.workers[0]!.pid),
        'seconds to answer all': (endedMs - startedMs) / 1_000,
        'seconds to apply all': (appliedMs - startedMs) / 1_000,
        retries: repeats,
      };
    }),
};
