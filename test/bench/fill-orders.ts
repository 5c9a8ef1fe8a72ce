import type { Edition } from './edition.ts';
import { continueBehind, FILL_KEYS, FILL_STATEMENTS, ORDERS_PER_FILLED_BATCH } from './fill-statements.ts';
import { openPool } from './open-pool.ts';

/** So many batches at once that no transaction holds all. */
const BATCHES_PER_TURN = 10_000;

/** Fills a database with orders in batches of 100, of one asset and one product each, by all customers of the edition. */
export async function fillOrders(superuserUrl: string, { customers }: Edition, orders: number): Promise<void> {
  const db = openPool(superuserUrl, 1);
  const batches = Math.ceil(orders / ORDERS_PER_FILLED_BATCH);
  const customerIds = customers.map(({ customerId }) => customerId);
  try {
    // No trigger and no foreign key is looked at: the rows fit together as they are.
    await db.query('set session_replication_role = replica');
    const { rows } = await db.query("select to_regclass('batch_key') is not null as keyed");
    const statements = rows[0].keyed ? [FILL_KEYS, ...FILL_STATEMENTS] : FILL_STATEMENTS;
    for (let first = 1; first <= batches; first += BATCHES_PER_TURN) {
      const last = Math.min(batches, first + BATCHES_PER_TURN - 1);
      for (const statement of statements) await db.query(statement, [first, last, customerIds]);
    }
    for (const statement of continueBehind(batches)) await db.query(statement);
    await db.query('set session_replication_role = origin');
    await db.query('vacuum (analyze, freeze)');
  } finally {
    await db.end();
  }
}
