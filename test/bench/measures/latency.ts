import { type Deployment, withDeployment } from '../deployment.ts';
import { runLoad } from '../load/load.ts';
import type { LoadResult } from '../load/load-work.ts';
import { withBareDeployment } from '../peers/bare-deployment.ts';
import type { Edition } from '../report/edition.ts';
import { type Bench, type Figures, type Measure, quantile, scaled } from './measure.ts';
import { warmUp } from './orders.ts';

/** Batches to measure, and the callers and calls that find the highest accepted rate. */
interface Calls {
  ordersPerBatch: number;
  callers: number;
  calls: number;
}

const CALLS: Calls[] = [
  { ordersPerBatch: 100, callers: 8, calls: 300 },
  { ordersPerBatch: 1, callers: 64, calls: 3_000 },
];
const DURATION_SECONDS = 10;
/** Enough that calls wait for the service and not for a connection. */
const CONNECTIONS = 128;

/**
 * Latency at half of the highest accepted rate, with the worker running: from a call's due time to its answer, and from
 * there until its batch is completed. For comparison, the latency at the same rate of a bare route that only inserts
 * the body.
 */
export const latencyMeasures: Measure[] = CALLS.map((calls) => ({
  name: `latency-${calls.ordersPerBatch}`,
  of: 'service',
  async run(bench, edition) {
    const { rate, figures } = await measureService(bench, edition, calls);
    return { ...figures, ...(await measureBare(bench, edition, calls, rate)) };
  },
}));

async function measureService(bench: Bench, edition: Edition, { ordersPerBatch, callers, calls }: Calls) {
  return withDeployment(bench, edition, {}, async (deployment) => {
    await warmUp(bench, deployment, 'async', ordersPerBatch);
    const most = await runLoad(
      deployment.batches(scaled(bench, calls, callers), ordersPerBatch, 'async', { kind: 'callers', callers }),
    );
    await deployment.untilApplied();
    const rate = most.latenciesMs.length / ((most.endedMs - most.startedMs) / 1_000) / 2;
    const work = deployment.batches(scaled(bench, rate * DURATION_SECONDS, 20), ordersPerBatch, 'async', {
      kind: 'rate',
      perSecond: rate,
      connections: CONNECTIONS,
    });
    const sent = await runLoad(work);
    await deployment.untilCompleted();
    const waits = await readWaits(deployment, work.requests.tag, sent);
    const figures: Figures = {
      'calls/s': rate,
      ...quantiles('accept', sent.latenciesMs),
      'answer to applied p50 ms': quantile(waits, 0.5),
      'answer to applied p99 ms': quantile(waits, 0.99),
    };
    return { rate, figures };
  });
}

function measureBare(bench: Bench, edition: Edition, { ordersPerBatch }: Calls, rate: number): Promise<Figures> {
  return withBareDeployment(bench, edition, undefined, async ({ batches }) => {
    const pace = { kind: 'rate', perSecond: rate, connections: CONNECTIONS } as const;
    await runLoad(batches('/bodies', scaled(bench, rate * 2, 20), ordersPerBatch, edition, pace));
    const calls = scaled(bench, rate * DURATION_SECONDS, 20);
    const sent = await runLoad(batches('/bodies', calls, ordersPerBatch, edition, pace));
    return quantiles('bare insert', sent.latenciesMs);
  });
}

function quantiles(name: string, latenciesMs: Float64Array): Figures {
  return {
    [`${name} p50 ms`]: quantile(latenciesMs, 0.5),
    [`${name} p99 ms`]: quantile(latenciesMs, 0.99),
    [`${name} p99.9 ms`]: quantile(latenciesMs, 0.999),
  };
}

/** Returns the milliseconds from each answer until its batch was completed; 0 if it was completed before the answer. */
async function readWaits(deployment: Deployment, tag: string, { answeredMs }: LoadResult): Promise<number[]> {
  const { rows } = await deployment.db.query<{ call: number; completed: number }>(
    `select substr(channel_order_id, $2)::int as call, extract(epoch from completed_time)::float8 * 1000 as completed
      from batch where channel_order_id like $1 || '-%' and completed_time is not null`,
    [tag, tag.length + 2],
  );
  if (rows.length !== answeredMs.length)
    throw new Error(`${rows.length} of ${answeredMs.length} answered batches are completed`);
  return rows.map(({ call, completed }) => Math.max(0, completed - answeredMs[call]!));
}
