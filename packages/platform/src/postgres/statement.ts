import { sql } from 'kysely';
import type { Connection, Query } from './connection.ts';
import type { Database, Trx } from './database.ts';

/**
 * A statement that runs often: each connection prepares it once under its name. One name has one text, so what varies
 * in number comes as arrays.
 *
 * A list that rows are looked up by stands in a `select` of its own: `any ((select $1::bigint[])::bigint[])`. So
 * PostgreSQL does not see how long it is, and keeps one plan for any length. Else it plans a look-up of one row anew
 * each time, because that looks cheaper than a look-up of many; but planning takes longer than looking up.
 */
export interface Statement<_Row> {
  name: string;
  text: string;
  values: readonly unknown[];
  /** Whether each row of its answer is a row that it has stored (see `Query`). */
  storesRows?: boolean;
}

/** Runs a statement and returns its rows. */
export async function run<Row>(db: Database | Trx, statement: Statement<Row>): Promise<Row[]> {
  const [rows] = await together<[Row]>(db, [statement]);
  return rows;
}

/**
 * Runs a query whose text depends on what is asked for, written as kysely's `sql`, and returns its rows. Each
 * connection prepares the first texts of a name once, because planning such a query takes longer than running it;
 * others are planned at each call.
 */
export const prepared =
  <Row>(db: Database | Trx, name: string) =>
  async (...query: Parameters<typeof sql>): Promise<Row[]> => {
    const { sql: text, parameters: values } = sql(...query).compile(db);
    const [result] = await onConnection(db, (connection) =>
      connection.runAll([{ ...connection.nameFor(name, text), text, values }]),
    );
    return result!.rows;
  };

/**
 * Sends statements at once, on one connection, and returns the rows of each: they take one round trip. PostgreSQL runs
 * them one after the other; each sees what was committed before it began. Throws the error of the first that fails.
 */
export async function together<Rows extends readonly unknown[]>(
  db: Database | Trx,
  statements: { [Place in keyof Rows]: Statement<Rows[Place]> },
): Promise<{ [Place in keyof Rows]: Rows[Place][] }> {
  const results = await onConnection(db, (connection) => connection.runAll(statements as readonly Query[]));
  return results.map(({ rows }) => rows) as { [Place in keyof Rows]: Rows[Place][] };
}

/**
 * Sends a statement of a transaction whose result nobody needs, without waiting for its answer: what is sent next
 * travels with it. If it fails, the next statement that is waited for, or the commit, throws its error. It must not be
 * the first statement of its transaction, whose `begin` nobody has waited for either.
 */
export async function send(trx: Trx, statement: Statement<unknown>): Promise<void> {
  await onConnection(trx, async (connection) => connection.send(statement));
}

/** Waits until all that a transaction has sent is answered. Throws the first of its errors. */
export async function untilAnswered(trx: Trx): Promise<void> {
  await onConnection(trx, (connection) => connection.runAll([]));
}

function onConnection<Result>(db: Database | Trx, use: (connection: Connection) => Promise<Result>): Promise<Result> {
  return db.getExecutor().provideConnection((connection) => use(connection as Connection));
}
