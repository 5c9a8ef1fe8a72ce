import type pg from 'pg';
import type { Edition } from '../report/edition.ts';
import { continueBehind, FILL_STATEMENTS, ORDERS_PER_FILLED_BATCH } from './fill-statements.ts';
import { openPool } from './open-pool.ts';

/** So many batches at once that no transaction holds all. */
const BATCHES_PER_TURN = 5_000;
/** As many as fill the cores of a small machine. */
const CONNECTIONS = 2;

/** The first and the last batch of those that are filled in together. */
type Turn = readonly [first: number, last: number];

/**
 * Fills a database with orders in batches of 100, of one asset and one product each, by all customers of the edition.
 * Returns how many bytes the database then has.
 */
export async function fillOrders(superuserUrl: string, { customers }: Edition, orders: number): Promise<number> {
  const db = openPool(superuserUrl, CONNECTIONS);
  const customerIds = customers.map(({ customerId }) => customerId);
  try {
    const turns = planTurns(Math.ceil(orders / ORDERS_PER_FILLED_BATCH));
    const [, lastBatch] = turns.at(-1)!;
    const fill = async (client: pg.PoolClient) => {
      // No trigger and no foreign key is looked at: the rows fit together as they are.
      await client.query('set session_replication_role = replica');
      await client.query('set synchronous_commit = off');
      for (let turn = turns.shift(); turn !== undefined; turn = turns.shift()) {
        for (const statement of Object.values(FILL_STATEMENTS)) {
          await client.query(statement, [...turn, customerIds]);
        }
      }
    };
    const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => db.connect()));
    try {
      await Promise.all(clients.map(fill));
    } finally {
      for (const client of clients) client.release(true);
    }
    for (const statement of continueBehind(lastBatch)) await db.query(statement);
    await db.query('vacuum (analyze, freeze)');
    const { rows } = await db.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes');
    return Number(rows[0]!.bytes);
  } finally {
    await db.end();
  }
}

/** Splits batches into turns, oldest first. There is no batch 0. */
function planTurns(batches: number): Turn[] {
  const turns: Turn[] = [];
  for (let done = 0; done < batches; done += BATCHES_PER_TURN) {
    turns.push([done + 1, Math.min(batches, done + BATCHES_PER_TURN)]);
  }
  return turns;
}
