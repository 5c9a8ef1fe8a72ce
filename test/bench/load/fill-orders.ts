import type pg from 'pg';
import type { Edition } from '../report/edition.ts';
import { continueBehind, FILL_STATEMENTS, ORDERS_PER_FILLED_BATCH } from './fill-statements.ts';
import { openPool } from './open-pool.ts';

/** Keeps transactions short. */
const BATCHES_PER_TURN = 5_000;
/** Enough to use all cores of a small machine. */
const CONNECTIONS = 2;

/** The first and last batch that are filled in together. */
type Turn = readonly [first: number, last: number];

/**
 * Fills a database with batches of 100 orders of one asset with one product, spread over all customers of the edition.
 * Returns the size of the database in bytes.
 */
export async function fillOrders(superuserUrl: string, { customers }: Edition, orders: number): Promise<number> {
  const db = openPool(superuserUrl, CONNECTIONS);
  const customerIds = customers.map(({ customerId }) => customerId);
  try {
    const turns = planTurns(Math.ceil(orders / ORDERS_PER_FILLED_BATCH));
    const [, lastBatch] = turns.at(-1)!;
    const fill = async (client: pg.PoolClient) => {
      // Skip triggers and foreign keys: the statements write consistent rows.
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

/** Splits batches 1 to `batches` into turns, oldest first. */
function planTurns(batches: number): Turn[] {
  const turns: Turn[] = [];
  for (let done = 0; done < batches; done += BATCHES_PER_TURN) {
    turns.push([done + 1, Math.min(batches, done + BATCHES_PER_TURN)]);
  }
  return turns;
}
