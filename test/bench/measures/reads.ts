import { randomUUID } from 'node:crypto';
import { buildPath } from '@lockstep/contract';
import { FILL_STATEMENTS, fillCounters, ORDERS_PER_FILLED_BATCH } from '../../harness/databases/fill-statements.ts';
import { HEAP_OF_512_MIB, readMebibytes } from '../../harness/processes/service-process.ts';
import type { BenchProcess } from '../bench-process.ts';
import { type Deployment, startDeployment, warmUp } from '../deployment.ts';
import { type Load, type Pace, runLoad } from '../load.ts';
import { openPool } from '../machine.ts';
import { type Bench, type Figures, type Measure, quantiles, scaled } from '../measure.ts';
import { HUNDREDS, measureOrders } from './orders.ts';

const CALLERS = 64;
const DURATION_MS = 5_000;
const WARM_UP_MS = 1_000;
const RESULT = `${buildPath('getBatchResult', {})}?channelCode=bench&channelOrderId=`;
const MILLION = 1_000_000;
/** Keeps transactions of filling short. */
const BATCHES_PER_TURN = 5_000;

/** Random reads: the table and column of which they take values, and the path for a value. */
const RANDOM_READS: Record<string, [table: string, column: string, target: string]> = {
  'results by key': ['batch', 'channel_order_id', `${RESULT}VALUE&`],
  'pages of a customer': ['license_order', 'customer_id', `${buildPath('listOrders', {})}?customerId=VALUE&limit=50&`],
  histories: ['asset', 'asset_num', `${buildPath('getAssetHistory', { assetNum: 'VALUE' })}?`],
};

/**
 * Polls of one completed batch; and batches of 100 until applied and random reads, with many orders in the tables.
 */
export const readMeasures: Measure[] = [
  { name: 'polls-64', run: measurePolls },
  ...[0, 1, 10].map((millions): Measure => {
    return { name: `filled-${millions}m`, run: (bench) => measureFilled(bench, millions * MILLION) };
  }),
  { name: 'export', run: measureExport },
];

/** Sends a sync batch, then polls its result. */
async function measurePolls(bench: Bench): Promise<Figures> {
  await using deployment = await startDeployment(bench);
  const load = deployment.batches({ mode: 'sync', size: 1, count: 1, pace: { callers: 1 } });
  await runLoad(load);
  const targets = [`${RESULT}${load.tag}-0&`];
  return await measureCalls(bench, deployment.api, (pace) => deployment.reads(targets, pace));
}

/** The URLs of filled databases, which rounds share. */
const filled = new Map<string, string>();

async function measureFilled(bench: Bench, orders: number): Promise<Figures> {
  const key = `${bench.checkout.name} ${orders}`;
  if (!filled.has(key)) filled.set(key, await fill(bench, scaled(bench, orders, 0)));
  await using deployment = await startDeployment(bench, { databaseUrl: filled.get(key)! });
  await warmUp(bench, deployment, 'async', HUNDREDS.size);
  const figures = await measureOrders(bench, deployment, HUNDREDS);
  for (const [kind, [table, column, target]] of Object.entries(RANDOM_READS)) {
    // Spread evenly over the table.
    const { rows } = await deployment.db.query<{ value: string }>(
      `with bounds as materialized (select min(id) as least, max(id) as most from ${table})
      select found.value from bounds, generate_series(1, 1000) as place, lateral (
        select ${column} as value from ${table} where id >= least + (most - least) * place / 1001 order by id limit 1
      ) as found`,
    );
    const targets = rows.map(({ value }) => target.replace('VALUE', value));
    const found = await measureCalls(bench, deployment.api, (pace) => deployment.reads(targets, pace));
    for (const [name, value] of Object.entries(found)) figures[`${kind}: ${name}`] = value;
  }
  return figures;
}

/** Exports of all assets after a million orders: alone, then beside orders, whose rate is compared with that alone. */
async function measureExport(bench: Bench): Promise<Figures> {
  const databaseUrl = await fill(bench, scaled(bench, MILLION, ORDERS_PER_FILLED_BATCH));
  await using deployment = await startDeployment(bench, { databaseUrl, nodeOptions: HEAP_OF_512_MIB });
  const idle = readMebibytes(deployment.api.pid, 'VmHWM');
  const startedMs = performance.now();
  const rows = await exportAssets(deployment);
  const seconds = (performance.now() - startedMs) / 1_000;
  const memory = readMebibytes(deployment.api.pid, 'VmHWM');
  await warmUp(bench, deployment, 'async', HUNDREDS.size);
  const alone = await measureOrders(bench, deployment, HUNDREDS);
  const memoryOfOrders = readMebibytes(deployment.api.pid, 'VmHWM');
  const leaving = new AbortController();
  const exporting = exportUntil(deployment, leaving.signal);
  const beside = await measureOrders(bench, deployment, HUNDREDS);
  leaving.abort();
  await exporting;
  return {
    'rows/s': rows / seconds,
    'API MiB, idle': idle,
    'API MiB, export': memory,
    'API MiB, then orders': memoryOfOrders,
    'API MiB, then both': readMebibytes(deployment.api.pid, 'VmHWM'),
    'orders ÷ alone': beside['orders/s']! / alone['orders/s']!,
  };
}

async function exportUntil(deployment: Deployment, signal: AbortSignal): Promise<void> {
  while (!signal.aborted)
    await exportAssets(deployment, signal).catch((error) => signal.aborted || Promise.reject(error));
}

/** Reads an export of all assets. Returns how many there were. */
async function exportAssets({ caller }: Deployment, signal?: AbortSignal): Promise<number> {
  const url = `${caller.baseUrl}${buildPath('listAssets', {})}?g_nonce=${randomUUID()}`;
  const headers = { authorization: `Bearer ${caller.token}`, accept: 'application/x-ndjson' };
  const answer = await fetch(url, { headers, ...(signal && { signal }) });
  if (answer.status !== 200) throw new Error(`The export was refused: ${await answer.text()}`);
  let rows = 0;
  for await (const bytes of answer.body!) for (const byte of bytes) if (byte === 10) rows += 1;
  return rows;
}

/** Fills a new database with completed orders, spread over all customers of the checkout. Returns its URL. */
export async function fill({ machine, checkout }: Bench, orders: number): Promise<string> {
  const databaseUrl = await machine.createDatabase(checkout.template);
  const db = openPool(machine.superuserUrlOf(databaseUrl), 1);
  // Skip triggers and foreign keys: the statements write consistent rows.
  await db.query('set session_replication_role = replica; set synchronous_commit = off');
  const batches = Math.ceil(orders / ORDERS_PER_FILLED_BATCH);
  const customerIds = checkout.customers.map(({ customerId }) => customerId);
  for (let done = 0; done < batches; done += BATCHES_PER_TURN) {
    const turn = [done + 1, Math.min(batches, done + BATCHES_PER_TURN), customerIds];
    for (const statement of Object.values(FILL_STATEMENTS)) await db.query(statement, turn);
  }
  if (batches > 0) await db.query(fillCounters(batches));
  await db.query('vacuum (analyze, freeze)');
  await db.end();
  return databaseUrl;
}

/** Measures calls a second, their latency, and what a call costs. */
async function measureCalls(bench: Bench, server: BenchProcess, work: (pace: Pace) => Load): Promise<Figures> {
  await runLoad(work({ callers: CALLERS, durationMs: scaled(bench, WARM_UP_MS, 200) }));
  const readCosts = await bench.machine.startMeter({ server: [server] });
  const { rate, latenciesMs } = await runLoad(work({ callers: CALLERS, durationMs: scaled(bench, DURATION_MS, 300) }));
  const costs = await readCosts(latenciesMs.length);
  return { 'calls/s': rate, ...quantiles('answer', latenciesMs, [0.5, 0.99]), ...costs };
}
