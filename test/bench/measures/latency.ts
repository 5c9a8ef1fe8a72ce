import { startDeployment, warmUp } from '../deployment.ts';
import { runLoad } from '../load.ts';
import { type Bench, type Figures, type Measure, quantiles, scaled } from '../measure.ts';
import { countOf, HUNDREDS, type Sending, SINGLES } from './orders.ts';

const DURATION_SECONDS = 10;
/** Enough that calls wait for the service and not for a connection. */
const CONNECTIONS = 128;

/**
 * Latency of accepting at half of the highest accepted rate, with the worker running, from a call's due time to its
 * answer.
 */
export const latencyMeasures: Measure[] = [SINGLES, HUNDREDS].map((sending) => ({
  name: `latency-${sending.size}`,
  run: (bench) => measureLatency(bench, sending),
}));

async function measureLatency(bench: Bench, sending: Sending): Promise<Figures> {
  await using deployment = await startDeployment(bench);
  await warmUp(bench, deployment, sending.mode, sending.size);
  const atMost = deployment.batches({ ...sending, count: countOf(bench, sending) });
  const perSecond = (await runLoad(atMost)).rate / 2;
  await deployment.untilApplied(atMost.tag);
  const { mode, size } = sending;
  const count = scaled(bench, perSecond * DURATION_SECONDS, 20);
  const load = deployment.batches({ mode, size, pace: { callers: CONNECTIONS, perSecond }, count });
  const { latenciesMs } = await runLoad(load);
  return { 'calls/s': perSecond, ...quantiles('accept', latenciesMs, [0.5, 0.99]) };
}
