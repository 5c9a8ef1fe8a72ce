import { type RawBuilder, sql } from 'kysely';
import type { Database, Trx } from './database.ts';

/**
 * Gives a statement that recurs a name: each connection prepares and plans it once, for any values, so it must leave no
 * choice of index. Its text must be the same whatever the number of rows, so it takes arrays; of texts that differ by their
 * filters the first eight are prepared. The name is its first line, and so stands in PostgreSQL's log and views too.
 */
export function named<Row>(name: string, statement: RawBuilder<Row>): RawBuilder<Row> {
  return sql<Row>`${sql.raw(`-- name: ${name}\n`)}${statement}`;
}

/**
 * Sends a statement of a transaction whose result nobody needs, without waiting for its answer: what is sent next travels
 * with it. If it fails, the next statement that is waited for, or the commit, throws its error. It has a name (see `named`).
 * It must not be the first statement of its transaction, whose `begin` nobody has waited for either.
 */
export async function sendAhead(trx: Trx, name: string, statement: RawBuilder<unknown>): Promise<void> {
  await sql`${sql.raw(`-- ahead: ${name}\n`)}${statement}`.execute(trx);
}

/** Waits until all that a transaction has sent ahead is answered. Throws the first of its errors. */
export async function untilAnswered(trx: Trx): Promise<void> {
  await named('until_answered', sql`select`).execute(trx);
}

/**
 * Sends statements at once, on one connection, and returns the rows of each: they take one round trip. PostgreSQL runs them
 * one after the other; each sees what was committed before it began. Throws the error of the first that fails.
 */
export async function together<Rows extends readonly unknown[]>(
  db: Database | Trx,
  statements: { [Place in keyof Rows]: RawBuilder<Rows[Place]> },
): Promise<{ [Place in keyof Rows]: Rows[Place][] }> {
  const queries = (statements as readonly RawBuilder<unknown>[]).map((statement) => statement.compile(db));
  const executor = db.getExecutor();
  const settled = await executor.provideConnection((connection) => {
    // A transaction's own executor would wait for each answer before it sends the next statement.
    const atOnce = executor.withConnectionProvider({ provideConnection: (use) => use(connection) });
    return Promise.allSettled(queries.map((query) => atOnce.executeQuery(query)));
  });
  const failed = settled.find((each) => each.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  const rows = settled.map((each) => (each as PromiseFulfilledResult<{ rows: unknown[] }>).value.rows);
  return rows as { [Place in keyof Rows]: Rows[Place][] };
}
