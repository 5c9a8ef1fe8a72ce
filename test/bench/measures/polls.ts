import type { BenchProcess } from '../bench-process.ts';
import { type Deployment, withDeployment } from '../deployment.ts';
import { runLoad } from '../load/load.ts';
import type { LoadWork } from '../load/load-work.ts';
import { withBareDeployment } from '../peers/bare-deployment.ts';
import { startMeter } from '../report/costs.ts';
import { type Bench, type Figures, type Measure, quantile, scaled } from './measure.ts';

const DURATION_MS = 5_000;
const WARM_UP_MS = 1_000;
const ORDERS_OF_BATCH = 1;
const ROW_KEY = 'batch';

/** Polls of one completed batch, and reads of one row by key through a bare route, in calls a second. */
export const pollMeasures: Measure[] = [8, 64].flatMap((callers): Measure[] => [
  {
    name: `polls-${callers}`,
    of: 'service',
    run: (bench, edition) =>
      withDeployment(bench, edition, {}, (deployment) => measurePolls(bench, deployment, callers)),
  },
  {
    name: `bare-row-${callers}`,
    of: 'yardstick',
    run: (bench, edition) =>
      withBareDeployment(bench, edition, undefined, async ({ db, server, questions }) => {
        // As long as the service's answer.
        await db.query('insert into bare.keyed (key, content) values ($1, $2)', [ROW_KEY, 'x'.repeat(600)]);
        return measureQuestions(bench, server, (durationMs) =>
          questions(`/rows/${ROW_KEY}`, { kind: 'callers', callers, durationMs }),
        );
      }),
  },
]);

/** Sends a batch, waits until it is completed, then polls its result. */
export async function measurePolls(bench: Bench, deployment: Deployment, callers: number): Promise<Figures> {
  const sent = deployment.batches(1, ORDERS_OF_BATCH, 'sync', { kind: 'callers', callers: 1 });
  await runLoad(sent);
  return measureQuestions(bench, deployment.api, (durationMs) =>
    deployment.polls([`${sent.requests.tag}-0`], { kind: 'callers', callers, durationMs }),
  );
}

async function measureQuestions(
  bench: Bench,
  server: BenchProcess,
  work: (durationMs: number) => LoadWork,
): Promise<Figures> {
  await runLoad(work(scaled(bench, WARM_UP_MS, 200)));
  const readCosts = await startMeter(bench.machine, { server: [server] });
  const { startedMs, endedMs, latenciesMs, processorMicros } = await runLoad(work(scaled(bench, DURATION_MS, 500)));
  const {
    'server µs': server_,
    'PostgreSQL µs': postgres,
    'load µs': load,
  } = await readCosts(latenciesMs.length, processorMicros);
  return {
    'calls/s': latenciesMs.length / ((endedMs - startedMs) / 1_000),
    'p50 ms': quantile(latenciesMs, 0.5),
    'p99 ms': quantile(latenciesMs, 0.99),
    'server µs': server_!,
    'PostgreSQL µs': postgres!,
    'load µs': load!,
  };
}
