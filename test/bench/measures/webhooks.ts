import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { searchExpiries } from '@lockstep/orders/testing';
import { openDatabase } from '@lockstep/platform';
import { dataOf } from '../../harness/api.ts';
import { ORDERS_PER_FILLED_BATCH } from '../../harness/databases/fill-statements.ts';
import { startDeployment, warmUp } from '../deployment.ts';
import { nowMs, runLoad } from '../load.ts';
import { openPool } from '../machine.ts';
import { type Bench, type Figures, type Measure, scaled } from '../measure.ts';
import { countOf, HUNDREDS, measureOrders, SINGLES } from './orders.ts';
import { fill } from './reads.ts';

const TERMS = 1_000_000;
const WEBHOOKS_OF_BATCHES = 3;
const WEBHOOKS = 20;
const LEAD_TIMES = [7, 30];

/** Messages of completed batches to three webhooks; and endings beside orders. */
export const webhookMeasures: Measure[] = [
  { name: 'webhooks', run: measureMessages },
  { name: 'endings', run: measureEndings },
];

/** Starts an endpoint that accepts everything. */
async function startEndpoint() {
  let received = 0;
  const server = createServer((_, answer) => void answer.writeHead(204).end()).on('request', () => received++);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, count: () => received, [Symbol.dispose]: () => void server.close() };
}

async function measureMessages(bench: Bench): Promise<Figures> {
  using endpoint = await startEndpoint();
  await using deployment = await startDeployment(bench);
  await warmUp(bench, deployment, 'async', SINGLES.size);
  for (let nth = 0; nth < WEBHOOKS_OF_BATCHES; nth++) {
    dataOf(await deployment.caller.ask('createWebhook', { body: { url: endpoint.url } }));
  }
  const load = deployment.batches({ ...SINGLES, count: countOf(bench, SINGLES) });
  const messages = load.orders * WEBHOOKS_OF_BATCHES;
  const readCosts = await bench.machine.startMeter({ worker: deployment.workers });
  const { startedMs } = await runLoad(load);
  while (endpoint.count() < messages) await delay(10);
  return { 'messages/s': messages / ((nowMs() - startedMs) / 1_000), ...(await readCosts(messages)) };
}

/**
 * Orders while workers search a million licenses that end in one minute, for two lead times, and while twenty webhooks
 * are told; each beside orders alone right before. Between, the search runs to its end as fast as it can.
 */
async function measureEndings(bench: Bench): Promise<Figures> {
  const databaseUrl = await fill(bench, scaled(bench, TERMS, ORDERS_PER_FILLED_BATCH));
  const owner = openPool(bench.machine.superuserUrlOf(databaseUrl), 1);
  // Noon of the day in a week, without the triggers, which would check a million rows.
  await owner.query('set session_replication_role = replica');
  const today = "floor(extract(epoch from now() - interval '5 minutes') / 86400)::integer";
  for (const table of ['asset', 'product_instance']) {
    await owner.query(`update ${table} set limit_end_date = (${today} + 7) * 86400000::bigint + 43200000`);
  }
  await owner.query('vacuum (analyze) asset, product_instance');
  using endpoint = await startEndpoint();
  await using deployment = await startDeployment(bench, { databaseUrl });
  await warmUp(bench, deployment, 'async', HUNDREDS.size);
  await owner.query(
    `insert into webhook (application_id, url, types, secret, after_position)
    select id, '${endpoint.url}', '{licenses.expiring}', '\\x00', last_position
    from application, event_counter, generate_series(1, ${WEBHOOKS})`,
  );
  const measure = () => measureOrders(bench, deployment, { ...HUNDREDS, orders: 3 * HUNDREDS.orders });
  const alone = await measure();
  await owner.query(`update application set hears_licenses = true, lead_days = '{${LEAD_TIMES}}'`);
  await owner.query(
    `insert into expiry_search (lead_days, day) select days, ${today} + 7 from unnest('{${LEAD_TIMES}}'::int[]) as days`,
  );
  const searching = await measure();
  const db = openDatabase({ url: databaseUrl, poolSize: 2, applicationName: 'bench', onError: () => {} });
  const startedMs = performance.now();
  const isReading = async () =>
    (await owner.query(`select from expiry_search where day = ${today} + 7 and part <> 'telling'`)).rows.length > 0;
  while (await isReading()) await searchExpiries(db);
  const seconds = (performance.now() - startedMs) / 1_000;
  const { rows } = await owner.query('select sum(assets + products) as terms, count(*) from found_expiry');
  await owner.query('update expiry_search set day = day + 100');
  for (let last = -1; last !== endpoint.count(); await delay(1_000)) last = endpoint.count();
  const notTelling = await measure();
  await owner.query('update expiry_search set day = day - 100');
  const before = endpoint.count();
  const telling = await measure();
  const during = endpoint.count() - before;
  await db.destroy();
  await owner.end();
  return {
    'orders/s alone': alone['orders/s']!,
    'searching ÷ alone': searching['orders/s']! / alone['orders/s']!,
    'telling ÷ alone': telling['orders/s']! / notTelling['orders/s']!,
    'messages while telling': during,
    customers: Number(rows[0].count),
    'ends found/s': Number(rows[0].terms) / seconds,
  };
}
