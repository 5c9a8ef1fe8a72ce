import { startBare } from '../bare/bare-deployment.ts';
import { createBareTables, insertOrders } from '../bare/ledger-rows.ts';
import { type QueueName, queues } from '../bare/queues.ts';
import { runLoad } from '../load.ts';
import { openPool } from '../machine.ts';
import { type Bench, type Figures, type Measure, scaled } from '../measure.ts';
import { countOf, HUNDREDS, type Sending, SINGLES } from './orders.ts';

const ORDERS = 100_000;
const ORDERS_PER_TRANSACTION = 1_000;
const CONNECTIONS = 4;
/** Enough for several seconds of a peer. */
const PEER_ORDERS = 6_000;
const WARM_UP_ORDERS = 1_000;

/**
 * PostgreSQL alone, with and without the checks of the schema; the least that this architecture can do; and the same
 * with other queues.
 */
export const floorMeasures: Measure[] = [
  { name: 'floor-unnest', of: 'yardstick', run: (bench) => measureInserts(bench, 'bare') },
  { name: 'floor-checked', of: 'yardstick', run: (bench) => measureInserts(bench, 'public') },
  ...(Object.keys(queues) as QueueName[]).flatMap((queue) =>
    [SINGLES, HUNDREDS].map((sending): Measure => {
      const isFloor = queue === 'pipeline';
      return {
        name: `${isFloor ? 'floor' : 'peer'}-${queue}-${sending.size}x${sending.pace.callers}`,
        of: 'yardstick',
        run: (bench) => measureQueue(bench, queue, { ...sending, orders: isFloor ? sending.orders : PEER_ORDERS }),
      };
    }),
  ),
];

/** Inserts the rows of 1,000 orders in each transaction, on four connections. */
async function measureInserts(bench: Bench, schema: 'bare' | 'public'): Promise<Figures> {
  const { machine, checkout } = bench;
  const url = await machine.createDatabase(checkout.template);
  const db = openPool(url, CONNECTIONS);
  await createBareTables(db);
  const transactions = scaled(bench, ORDERS / ORDERS_PER_TRANSACTION, CONNECTIONS);
  await machine.settle();
  const readCosts = await machine.startMeter({});
  const startedMs = performance.now();
  let next = 0;
  const insert = async () => {
    const client = await db.connect();
    for (let turn = next++; turn < transactions; turn = next++) {
      const orders = Array.from({ length: ORDERS_PER_TRANSACTION }, (_, index) => {
        const id = turn * ORDERS_PER_TRANSACTION + index + 1;
        const { customerId } = checkout.customers[id % checkout.customers.length]!;
        return { id, customerId, assetNum: `floor-${id}` };
      });
      await insertOrders(client, schema, async () => orders);
    }
    client.release();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, insert));
  const orders = transactions * ORDERS_PER_TRANSACTION;
  const rate = orders / ((performance.now() - startedMs) / 1_000);
  const costs = await readCosts(orders);
  await db.end();
  await machine.dropDatabase(url);
  return { 'orders/s': rate, ...costs };
}

/** Sends the same calls to a bare HTTP server, until a bare worker has inserted the rows of all orders. */
async function measureQueue(bench: Bench, queue: QueueName, sending: Sending): Promise<Figures> {
  await using bare = await startBare(bench, queue, { hasWorker: true });
  const send = async (count: number, ordersBefore: number) => {
    const load = bare.batches({ ...sending, count });
    const readCosts = await bench.machine.startMeter({ API: [bare.server], worker: bare.workers });
    const { startedMs, micros } = await runLoad(load);
    const seconds = ((await bare.untilInserted(ordersBefore + load.orders)) - startedMs) / 1_000;
    const costs = await readCosts(load.orders);
    return { 'orders/s': load.orders / seconds, ...costs, 'load µs': micros / load.orders };
  };
  const warmUp = scaled(bench, Math.max(40, WARM_UP_ORDERS / sending.size), 8);
  await send(warmUp, 0);
  return await send(countOf(bench, sending), warmUp * sending.size);
}
