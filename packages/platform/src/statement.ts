import { type RawBuilder, sql } from 'kysely';
import type { Trx } from './database.ts';

/** What the first line of a statement says about it. */
interface Head {
  /** Under which name PostgreSQL keeps it prepared; undefined: it does not. */
  name: string | undefined;
  /** Whether it is sent without waiting for its answer. */
  isAhead: boolean;
}

const HEAD = /^-- (name|ahead): ([a-z_]+)\n/;
const NO_HEAD: Head = { name: undefined, isAhead: false };
/** Far more texts than there are named statements. Beyond it something is wrong, and no more get a name. */
const MAX_NAMED_TEXTS = 200;

const heads = new Map<string, Head>();

/** Reads the first line of a statement. Another text with a name that is taken is not prepared, but still works. */
export function headOf(text: string): Head {
  if (!text.startsWith('-- ')) return NO_HEAD;
  const known = heads.get(text);
  if (known !== undefined) return known;
  const [, kind, word] = HEAD.exec(text) ?? [];
  if (word === undefined) return NO_HEAD;
  const isTaken = heads.size >= MAX_NAMED_TEXTS || [...heads.values()].some(({ name }) => name === word);
  const head = { name: isTaken ? undefined : word, isAhead: kind === 'ahead' };
  if (heads.size < MAX_NAMED_TEXTS) heads.set(text, head);
  return head;
}

/**
 * Gives a statement that recurs a name: each connection prepares it once. Its text must always be the same, whatever the
 * number of rows, so it takes arrays. The name is its first line, and so stands in PostgreSQL's log and views too.
 */
export function named<Row>(name: string, statement: RawBuilder<Row>): RawBuilder<Row> {
  return sql<Row>`${sql.raw(`-- name: ${name}\n`)}${statement}`;
}

/**
 * Sends a statement of a transaction whose result nobody needs, without waiting for its answer: what is sent next travels
 * with it. If it fails, the next statement that is waited for, or the commit, throws its error. It has a name (see `named`).
 */
export async function sendAhead(trx: Trx, name: string, statement: RawBuilder<unknown>): Promise<void> {
  await sql`${sql.raw(`-- ahead: ${name}\n`)}${statement}`.execute(trx);
}

/**
 * Sends statements of a transaction at once and returns the rows of each: they take one round trip. PostgreSQL runs them
 * one after the other; each sees what was committed before it began. Throws the error of the first that fails.
 */
export async function together<Rows extends readonly unknown[]>(
  trx: Trx,
  statements: { [Place in keyof Rows]: RawBuilder<Rows[Place]> },
): Promise<{ [Place in keyof Rows]: Rows[Place][] }> {
  const queries = (statements as readonly RawBuilder<unknown>[]).map((statement) => statement.compile(trx));
  const settled = await trx
    .getExecutor()
    .provideConnection((connection) => Promise.allSettled(queries.map((query) => connection.executeQuery(query))));
  const failed = settled.find((each) => each.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  const rows = settled.map((each) => (each as PromiseFulfilledResult<{ rows: unknown[] }>).value.rows);
  return rows as { [Place in keyof Rows]: Rows[Place][] };
}
