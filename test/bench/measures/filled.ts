import { withDeployment } from '../deployment.ts';
import { fillOrders } from '../load/fill-orders.ts';
import type { Edition } from '../report/edition.ts';
import { type Bench, type Figures, keep, type Measure, scaled } from './measure.ts';
import { async, measureOrders } from './orders.ts';
import { measurePolls } from './polls.ts';
import { measureReads } from './reads.ts';

const SIZES: [name: string, orders: number][] = [
  ['0', 0],
  ['1m', 1_000_000],
  ['10m', 10_000_000],
];
const POLLERS = 64;
const BYTES_PER_GIGABYTE = 1e9;

/** A database filled with orders, and figures of filling it. */
interface Filled {
  databaseUrl: string;
  figures: Figures;
}

/**
 * Batches of 100 until applied, polls and random reads, with many orders in the tables. Rounds reuse filled databases.
 */
export const filledMeasures: Measure[] = SIZES.map(([name, orders]) => ({
  name: `filled-${name}`,
  of: 'service',
  run: (bench, edition) => measureFilled(bench, edition, orders),
}));

async function measureFilled(bench: Bench, edition: Edition, orders: number): Promise<Figures> {
  const filled = orders === 0 ? undefined : await provideFilled(bench, edition, scaled(bench, orders));
  const shape = filled === undefined ? {} : { databaseUrl: filled.databaseUrl };
  return withDeployment(bench, edition, shape, async (deployment) => {
    const applied = await measureOrders(bench, deployment, async(100, 8));
    const { 'calls/s': polls } = await measurePolls(bench, deployment, POLLERS);
    const reads = await measureReads(bench, deployment);
    return { ...applied, 'polls/s': polls!, ...reads, ...filled?.figures };
  });
}

function provideFilled(bench: Bench, edition: Edition, orders: number): Promise<Filled> {
  return keep(bench, `${edition.name}, ${orders} orders`, async () => {
    const databaseUrl = await bench.machine.createDatabase(edition.template);
    const startedMs = performance.now();
    const bytes = await fillOrders(bench.machine.superuserUrlOf(databaseUrl), edition, orders);
    const figures = { 'seconds to fill': (performance.now() - startedMs) / 1_000, GB: bytes / BYTES_PER_GIGABYTE };
    return { databaseUrl, figures };
  });
}
