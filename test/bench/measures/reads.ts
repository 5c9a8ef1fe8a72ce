import { buildPath } from '@lockstep/contract';
import type { Deployment } from '../deployment.ts';
import { runLoad } from '../load/load.ts';
import { startMeter } from '../report/costs.ts';
import { type Bench, type Figures, quantile, scaled } from './measure.ts';

const CALLERS = 8;
const DURATION_MS = 3_000;
const WARM_UP_MS = 500;
/** Number of different batches, customers and assets to read, spread over the tables. */
const SAMPLES = 1_000;

/** Measures random reads: for each kind, calls a second, latency and processor time. */
export async function measureReads(bench: Bench, deployment: Deployment): Promise<Figures> {
  const figures: Figures = {};
  for (const [name, targets] of Object.entries(await buildReads(deployment))) {
    const pace = (durationMs: number) => ({ kind: 'callers', callers: CALLERS, durationMs }) as const;
    await runLoad(deployment.questions(targets, pace(scaled(bench, WARM_UP_MS, 200))));
    const readCosts = await startMeter(bench.machine, { API: [deployment.api] });
    const read = await runLoad(deployment.questions(targets, pace(scaled(bench, DURATION_MS, 300))));
    const costs = await readCosts(read.latenciesMs.length);
    figures[`${name}/s`] = read.latenciesMs.length / ((read.endedMs - read.startedMs) / 1_000);
    figures[`${name} p99 ms`] = quantile(read.latenciesMs, 0.99);
    figures[`${name} API µs`] = costs['API µs']!;
    figures[`${name} PostgreSQL µs`] = costs['PostgreSQL µs']!;
  }
  return figures;
}

/** Returns, for each kind of read, the targets to call in turn. */
async function buildReads(deployment: Deployment): Promise<Record<string, string[]>> {
  const [batches, customers, assetNums] = await Promise.all([
    sample<string>(deployment, 'batch', 'id', 'channel_order_id'),
    sample<string>(deployment, 'license_order', 'id', 'customer_id'),
    sample<string>(deployment, 'asset', 'id', 'asset_num'),
  ]);
  return {
    'results by key': batches.map((id) => `${buildPath('getBatchResult', {})}?channelCode=bench&channelOrderId=${id}&`),
    'pages of batches': [`${buildPath('listBatches', {})}?limit=50&`],
    'pages of a customer': customers.map((id) => `${buildPath('listOrders', {})}?customerId=${id}&limit=50&`),
    histories: assetNums.map((assetNum) => `${buildPath('getAssetHistory', { assetNum })}?`),
  };
}

/** Samples values evenly over a table, with the index on `key`. */
async function sample<Value>({ db }: Deployment, table: string, key: string, column: string): Promise<Value[]> {
  const { rows } = await db.query<{ value: Value }>(
    `with bounds as materialized (select min(${key}) as least, max(${key}) as most from ${table})
    select found.value
    from bounds, generate_series(1, $1) as place, lateral (
      select ${column} as value from ${table}
      where ${key} >= least + (most - least) * place / ($1 + 1) order by ${key} limit 1) as found`,
    [SAMPLES],
  );
  return rows.map(({ value }) => value);
}
