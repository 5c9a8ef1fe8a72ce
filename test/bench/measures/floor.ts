import type pg from 'pg';
import { copyRows } from '../load/copy-rows.ts';
import { columnNames, createBareTables, LEDGER_ROWS } from '../load/ledger-rows.ts';
import { openPool } from '../load/open-pool.ts';
import { startMeter } from '../report/costs.ts';
import type { Edition } from '../report/edition.ts';
import { type Bench, type Figures, type Measure, scaled } from './measure.ts';

const ORDERS = 100_000;
const ORDERS_PER_TRANSACTION = 1_000;
const CONNECTIONS = 4;

/**
 * PostgreSQL alone: inserts the rows of 1,000 orders in each transaction, on four connections. Inserts either into bare
 * tables with the same columns and indexes but no checks, or into the schema's own tables.
 */
export const floorMeasures: Measure[] = [
  {
    name: 'floor-unnest',
    of: 'yardstick',
    run: (bench, edition) => measureFloor(bench, edition, 'bare', insertByUnnest),
  },
  { name: 'floor-copy', of: 'yardstick', run: (bench, edition) => measureFloor(bench, edition, 'bare', insertByCopy) },
  {
    name: 'floor-checked',
    of: 'yardstick',
    run: (bench, edition) => measureFloor(bench, edition, 'public', insertByUnnest),
  },
];

type Insert = (client: pg.PoolClient, schema: string, orders: readonly number[]) => Promise<void>;

async function measureFloor(
  bench: Bench,
  edition: Edition,
  schema: 'bare' | 'public',
  insert: Insert,
): Promise<Figures> {
  const { machine } = bench;
  const url = await machine.createDatabase(edition.template);
  const db = openPool(url, CONNECTIONS);
  try {
    await createBareTables(db);
    // The customer of all rows, which the checks look up.
    await db.query("insert into channel (code) values ('floor')");
    await db.query(`
      insert into customer (id, enterprise_id, channel_code, channel_customer_id, name, branch_name, is_default)
      select 1, id, 'floor', 'floor', 'Floor', 'Floor', false from enterprise limit 1`);
    const transactions = scaled(bench, ORDERS / ORDERS_PER_TRANSACTION, CONNECTIONS);
    await machine.settle();
    const readCosts = await startMeter(machine, {});
    const startedMs = performance.now();
    let next = 0;
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        const client = await db.connect();
        try {
          for (let turn = next++; turn < transactions; turn = next++) {
            // Negative, so that they don't collide with the schema's sequences.
            const orders = Array.from(
              { length: ORDERS_PER_TRANSACTION },
              (_, index) => -(turn * ORDERS_PER_TRANSACTION + index + 1),
            );
            await client.query('begin');
            await insert(client, schema, orders);
            await client.query('commit');
          }
        } finally {
          // Close the connection, because closing the pool would wait for a failed transaction.
          client.release(true);
        }
      }),
    );
    const seconds = (performance.now() - startedMs) / 1_000;
    const orders = transactions * ORDERS_PER_TRANSACTION;
    const { 'PostgreSQL µs': postgresMicros, 'WAL bytes': walBytes } = await readCosts(orders);
    return { 'orders/s': orders / seconds, 'PostgreSQL µs': postgresMicros!, 'WAL bytes': walBytes! };
  } finally {
    await db.end();
    await machine.dropDatabase(url);
  }
}

async function insertByUnnest(client: pg.PoolClient, schema: string, orders: readonly number[]): Promise<void> {
  for (const { table, columns } of LEDGER_ROWS) {
    const arrays = columns.map(([, type], index) => `$${index + 1}::${type}[]`);
    await client.query({
      name: `floor_${schema}_${table}`,
      text: `insert into ${schema}.${table} (${columnNames(columns)}) select * from unnest(${arrays.join(', ')})`,
      values: columns.map(([, , value]) => orders.map(value)),
    });
  }
}

async function insertByCopy(client: pg.PoolClient, schema: string, orders: readonly number[]): Promise<void> {
  for (const { table, columns } of LEDGER_ROWS) {
    const lines = orders.map((order) => columns.map(([, , value]) => String(value(order))).join('\t'));
    await copyRows(client, `${schema}.${table} (${columnNames(columns)})`, Buffer.from(`${lines.join('\n')}\n`));
  }
}
