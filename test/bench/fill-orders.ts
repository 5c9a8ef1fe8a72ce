import type pg from 'pg';
import type { Edition } from './edition.ts';
import { BATCHES_PER_PERIOD, continueBehind, FILL_STATEMENTS, ORDERS_PER_FILLED_BATCH } from './fill-statements.ts';
import { openPool } from './open-pool.ts';

/** So many batches at once that no transaction holds all. */
const BATCHES_PER_TURN = 5_000;
/** As many as fill the cores of a small machine. */
const CONNECTIONS = 2;
/** Over so many periods the orders are spread, where tables have partitions: most of a year. */
const PERIODS = 10;

/** The first and the last batch of those that are filled in together. */
type Turn = readonly [first: number, last: number];

/**
 * Fills a database with orders in batches of 100, of one asset and one product each, by all customers of the edition. Where
 * tables have partitions, the same number of batches is in each of the last periods, of which the service goes on in the
 * newest. Returns how many bytes the database then has.
 */
export async function fillOrders(
  superuserUrl: string,
  { customers }: Edition,
  orders: number,
  mostPeriods = PERIODS,
): Promise<number> {
  const db = openPool(superuserUrl, CONNECTIONS);
  const customerIds = customers.map(({ customerId }) => customerId);
  try {
    const periods = await beginPeriods(db, mostPeriods);
    const statements = await findStatements(db);
    const turns = planTurns(Math.ceil(orders / ORDERS_PER_FILLED_BATCH), periods);
    const [, lastBatch] = turns.at(-1)!;
    const fill = async (client: pg.PoolClient) => {
      // No trigger and no foreign key is looked at: the rows fit together as they are.
      await client.query('set session_replication_role = replica');
      await client.query('set synchronous_commit = off');
      for (let turn = turns.shift(); turn !== undefined; turn = turns.shift()) {
        for (const statement of statements) await client.query(statement, [...turn, customerIds]);
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

/** Begins so many periods, the first included, if the tables have partitions. Returns how many there are. */
async function beginPeriods(db: pg.Pool, periods: number): Promise<number> {
  const { rows } = await db.query<{ partitioned: boolean }>(
    `select relkind = 'p' as partitioned from pg_class where oid = 'batch'::regclass`,
  );
  if (!rows[0]!.partitioned) return 1;
  for (let period = 1; period < periods; period++) {
    await db.query('select make_partitions()');
    await db.query('select begin_period($1)', [period - 1]);
  }
  return periods;
}

/** The statements for the tables that are there. */
async function findStatements(db: pg.Pool): Promise<string[]> {
  const { rows } = await db.query<{ table: string }>(
    `select name as "table" from unnest($1::text[]) as name where to_regclass(name) is not null`,
    [Object.keys(FILL_STATEMENTS)],
  );
  return rows.map(({ table }) => FILL_STATEMENTS[table]!);
}

/** Spreads batches over periods, oldest first. Each period has its own range of ids, and the first has no batch 0. */
function planTurns(batches: number, periods: number): Turn[] {
  const perPeriod = Math.ceil(batches / periods);
  const turns: Turn[] = [];
  for (let period = 0; period < periods; period++) {
    const begin = period * BATCHES_PER_PERIOD + 1;
    for (let done = 0; done < perPeriod; done += BATCHES_PER_TURN) {
      turns.push([begin + done, begin + Math.min(perPeriod, done + BATCHES_PER_TURN) - 1]);
    }
  }
  return turns;
}
