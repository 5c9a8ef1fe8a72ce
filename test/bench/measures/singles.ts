import { withDeployment } from '../deployment.ts';
import { prepareLoad, runLoad } from '../load/load.ts';
import { acceptWhileSuspended } from '../load/suspended-workers.ts';
import { type Measure, scaled } from './measure.ts';
import { warmUp } from './orders.ts';

const BACKLOG_ORDERS = 60_000;
const CALLERS = 64;
const IDLE_ORDERS = 4_000;
/** Takes longer to accept than the backlog takes to drain. */
const ORDERS = 15_000;
const DURATION_MS = 10_000;

/** Batches of one order accepted a second, alone and while four workers drain a backlog. */
export const singlesMeasure: Measure = {
  name: 'singles-beside-backlog',
  of: 'service',
  run: (bench, edition) =>
    withDeployment(bench, edition, { workers: 4 }, async (deployment) => {
      const singles = (orders: number) =>
        deployment.batches(scaled(bench, orders, CALLERS), 1, 'async', {
          kind: 'callers',
          callers: CALLERS,
          durationMs: DURATION_MS,
        });
      await warmUp(bench, deployment, 'async', 1);
      const idle = await runLoad(singles(IDLE_ORDERS));
      await deployment.untilApplied();
      const { orders, drain } = await acceptWhileSuspended(bench, deployment, BACKLOG_ORDERS);
      const load = await prepareLoad(singles(ORDERS));
      const [{ startedMs, drainedMs }, beside] = await Promise.all([drain(), load.run()]);
      const endedMs = Math.min(drainedMs, beside.endedMs);
      const accepted = beside.answeredMs.filter((answeredMs) => answeredMs <= endedMs).length;
      const idleRate = idle.answeredMs.length / ((idle.endedMs - idle.startedMs) / 1_000);
      const rate = accepted / ((endedMs - beside.startedMs) / 1_000);
      return {
        'idle accepted/s': idleRate,
        'accepted/s': rate,
        'accepted ÷ idle': rate / idleRate,
        'backlog orders/s': orders / ((drainedMs - startedMs) / 1_000),
      };
    }),
};
