import { withDeployment } from './deployment.ts';
import type { Edition } from './edition.ts';
import { fillOrders } from './fill-orders.ts';
import { type Bench, type Figures, keep, type Measure, scaled } from './measure.ts';
import { async, measureOrders } from './measure-orders.ts';
import { measurePolls } from './measure-polls.ts';

const SIZES: [name: string, orders: number][] = [
  ['0', 0],
  ['1m', 1_000_000],
  ['10m', 10_000_000],
];
const POLLERS = 64;

/** Batches of 100 until applied, and polls, with so many orders in the tables. What is filled is kept from round to round. */
export const filledMeasures: Measure[] = SIZES.map(([name, orders]) => ({
  name: `filled-${name}`,
  of: 'service',
  run: (bench, edition) => measureFilled(bench, edition, orders),
}));

async function measureFilled(bench: Bench, edition: Edition, orders: number): Promise<Figures> {
  const shape = orders === 0 ? {} : { databaseUrl: await provideFilled(bench, edition, scaled(bench, orders)) };
  return withDeployment(bench, edition, shape, async (deployment) => {
    const applied = await measureOrders(bench, deployment, async(100, 8));
    const { 'calls/s': polls } = await measurePolls(bench, deployment, POLLERS);
    return { ...applied, 'polls/s': polls! };
  });
}

function provideFilled(bench: Bench, edition: Edition, orders: number): Promise<string> {
  return keep(bench, `${edition.name}, ${orders} orders`, async () => {
    const url = await bench.machine.createDatabase(edition.template);
    await fillOrders(bench.machine.superuserUrlOf(url), edition, orders);
    return url;
  });
}
