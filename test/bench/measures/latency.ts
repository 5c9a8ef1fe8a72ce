import { startBare } from '../bare/bare-deployment.ts';
import { startDeployment, warmUp } from '../deployment.ts';
import { type Batches, runLoad } from '../load.ts';
import { type Bench, type Figures, type Measure, quantiles, scaled } from '../measure.ts';
import { countOf, HUNDREDS, type Sending, SINGLES } from './orders.ts';

const WARM_UP_SECONDS = 2;
const DURATION_SECONDS = 10;
/** Enough that calls wait for the service and not for a connection. */
const CONNECTIONS = 128;

/**
 * Latency of accepting at half of the highest accepted rate, with the worker running, from a call's due time to its
 * answer; and for comparison, that of a bare route that only stores the body.
 */
export const latencyMeasures: Measure[] = [SINGLES, HUNDREDS].map((sending) => ({
  name: `latency-${sending.size}`,
  of: 'service',
  run: (bench) => measureLatency(bench, sending),
}));

async function measureLatency(bench: Bench, sending: Sending): Promise<Figures> {
  const { perSecond, latenciesMs } = await measureService(bench, sending);
  await using bare = await startBare(bench, 'pipeline', { hasWorker: false });
  await runLoad(bare.batches(batchesAt(bench, sending, perSecond, WARM_UP_SECONDS)));
  const { latenciesMs: bareMs } = await runLoad(bare.batches(batchesAt(bench, sending, perSecond, DURATION_SECONDS)));
  return {
    'calls/s': perSecond,
    ...quantiles('accept', latenciesMs, [0.5, 0.99]),
    ...quantiles('bare route', bareMs, [0.5, 0.99]),
  };
}

async function measureService(bench: Bench, sending: Sending) {
  await using deployment = await startDeployment(bench);
  await warmUp(bench, deployment, sending.mode, sending.size);
  const atMost = deployment.batches({ ...sending, count: countOf(bench, sending) });
  const perSecond = (await runLoad(atMost)).rate / 2;
  await deployment.untilApplied(atMost.tag);
  const { latenciesMs } = await runLoad(deployment.batches(batchesAt(bench, sending, perSecond, DURATION_SECONDS)));
  return { perSecond, latenciesMs };
}

function batchesAt(bench: Bench, { mode, size }: Sending, perSecond: number, seconds: number): Batches {
  return { mode, size, pace: { callers: CONNECTIONS, perSecond }, count: scaled(bench, perSecond * seconds, 20) };
}
