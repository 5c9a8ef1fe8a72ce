import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createApplication } from '@lockstep/access';
import { migrateDatabase } from '@lockstep/cli';
import type { Customer } from '@lockstep/contract';
import { startEmbeddedPostgres } from '@lockstep/embedded-postgres';
import { chooseQueueBackend, insertRows, openDatabase, type QueueBackend } from '@lockstep/platform';
import { sql } from 'kysely';
import { Api, dataOf } from '../harness/api.ts';
import { newBuy } from '../harness/orders.ts';
import { freePort, provideRedis } from '../harness/redis.ts';
import { ServiceProcess } from '../harness/service-process.ts';

/**
 * `npm run bench`: measures orders a second from HTTP to applied, with one API and one worker process, and the floor
 * that PostgreSQL sets: a bulk insert of the same rows. Compare the ratios of one run, not the figures of two.
 */
const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '50000' },
    batch: { type: 'string', default: '100' },
    connections: { type: 'string', default: '8' },
    queue: { type: 'string', default: 'redis,postgres' },
    mode: { type: 'string', default: 'async' },
  },
});
const orders = Number(values.orders);
const ordersPerBatch = Number(values.batch);
const connections = Number(values.connections);
const CUSTOMERS = 500;

const say = (line: string) => process.stdout.write(`${line}\n`);

const directory = await mkdtemp(join(process.cwd(), '.test-data-bench-'));
const postgres = await startEmbeddedPostgres({ directory: join(directory, 'postgres') });
const redis = await provideRedis(directory);
const admin = openDatabase({ url: postgres.databaseUrl, poolSize: 4, applicationName: 'bench', onError: () => {} });
try {
  say(
    `${orders} ${values.mode} new_buy orders of 1 asset and 1 product, ${ordersPerBatch} a batch, ${connections} callers`,
  );
  for (const kind of values.queue.split(',')) {
    const queue = chooseQueueBackend(kind === 'redis' ? { REDIS_URL: redis.url } : {}, postgres.databaseUrl);
    await sql
      .raw('drop schema if exists public cascade; drop schema if exists bullmq cascade; create schema public')
      .execute(admin);
    await migrateDatabase(postgres.databaseUrl, queue);
    const floor = await measureFloor();
    const { accepted, applied } = await measureService(queue);
    say(
      `${kind}: accepted ${formatRate(accepted)}, applied ${formatRate(applied)}; floor ${formatRate(floor)}; ` +
        `${Math.round((100 * floor) / applied)} % of the floor`,
    );
  }
} finally {
  await admin.destroy();
  await redis.stop();
  await postgres.stop();
  await rm(directory, { recursive: true });
}

function formatRate(seconds: number): string {
  return `${Math.round(orders / seconds).toLocaleString('en')} orders/s`;
}

/** Measures the seconds that PostgreSQL alone takes for the rows of these orders, with 1,000 orders a transaction. */
async function measureFloor(): Promise<number> {
  await sql`
    insert into enterprise (id, name, code) values (1, 'Floor', 'floor1');
  `.execute(admin);
  await sql`
    insert into customer (id, enterprise_id, channel_code, channel_customer_id, name, branch_name, is_default)
    values (1, 1, 'floor', 'floor', 'Floor', 'Floor', true)`.execute(admin);
  const startedMs = performance.now();
  for (let first = 1; first <= orders; first += 1_000) {
    const ids = Array.from({ length: Math.min(1_000, orders - first + 1) }, (_, index) => -(first + index));
    const all = <Value>(value: Value) => ids.map(() => value);
    await admin.transaction().execute(async (trx) => {
      await insertRows(trx, 'license_order', [
        ['id', 'bigint', ids],
        ['order_type', 'text', all('new_buy')],
        ['customer_id', 'text', all('1')],
        ['assets', 'integer', all(1)],
        ['products', 'integer', all(1)],
      ]);
      await insertRows(trx, 'asset', [
        ['id', 'bigint', ids],
        ['asset_num', 'text', ids.map((id) => `floor${id}`)],
        ['customer_id', 'bigint', all(1)],
        ['license_type', 'text', all('softkey')],
        ['borrowed_usb_key', 'boolean', all(false)],
        ['extends', 'jsonb', all('{}')],
      ]);
      await insertRows(trx, 'asset_grant', [
        ['asset_id', 'bigint', ids],
        ['license_order_id', 'bigint', ids],
      ]);
      await insertRows(trx, 'product_instance', [
        ['id', 'bigint', ids],
        ['asset_id', 'bigint', ids],
        ['license_order_id', 'bigint', ids],
        ['crm_product_id', 'text', all('crm-1')],
        ['product_uri', 'text', all('gms-100')],
        ['product_name', 'text', all('Cost Estimator')],
        ['limit_concurrent', 'integer', all(1)],
        ['details', 'jsonb', all('{}')],
      ]);
    });
  }
  return (performance.now() - startedMs) / 1_000;
}

/** Measures the seconds from the first call until all orders are accepted, and until all are applied. */
async function measureService(queue: QueueBackend): Promise<{ accepted: number; applied: number }> {
  const port = await freePort();
  const env = {
    DATABASE_URL: postgres.databaseUrl,
    REDIS_URL: queue.kind === 'redis' ? queue.url : '',
    PORT: String(port),
  };
  const api = ServiceProcess.api(env);
  const worker = ServiceProcess.worker(env);
  await api.start();
  await worker.start();
  try {
    const credentials = await createApplication(admin, { name: 'Bench', scopes: ['auth_order'], approved: true });
    const caller = await Api.logIn(`http://127.0.0.1:${port}`, credentials);
    const customers: Customer[] = [];
    for (let index = 0; index < CUSTOMERS; index++) customers.push(await caller.newCustomer('Bench'));
    let sent = 0;
    const bodies = Array.from({ length: Math.ceil(orders / ordersPerBatch) }, (_, batch) =>
      JSON.stringify({
        channelCode: 'bench',
        channelOrderId: `bench-${batch}`,
        syncMode: values.mode,
        orderList: Array.from({ length: Math.min(ordersPerBatch, orders - batch * ordersPerBatch) }, () =>
          newBuy(customers[sent % CUSTOMERS]!, [`bench-${sent++}`]),
        ),
      }),
    );
    const startedMs = performance.now();
    let next = 0;
    await Promise.all(
      Array.from({ length: connections }, async () => {
        for (let batch = next++; batch < bodies.length; batch = next++) {
          dataOf(await caller.submit(undefined, { rawBody: bodies[batch]! }));
        }
      }),
    );
    const accepted = (performance.now() - startedMs) / 1_000;
    await untilNothingIsPending();
    return { accepted, applied: (performance.now() - startedMs) / 1_000 };
  } finally {
    await api.stop();
    await worker.stop();
  }
}

async function untilNothingIsPending(): Promise<void> {
  for (;;) {
    const { rows } = await sql`select from lane_chunk where finished_time is null limit 1`.execute(admin);
    if (rows.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
