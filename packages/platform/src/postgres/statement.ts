import { type RawBuilder, sql } from 'kysely';
import type { Connection, Query } from './connection.ts';
import type { Database, Trx } from './database.ts';

/**
 * A frequent statement: each connection prepares it once under its name. A name has one text, so values that vary in
 * number are passed as arrays.
 *
 * A list of keys to look up is wrapped in its own `select`: `any ((select $1::bigint[])::bigint[])`. PostgreSQL then
 * cannot see its length, and keeps one plan for any length. Otherwise it plans each lookup of one row anew, because
 * that looks cheaper than a lookup of many; but planning takes longer than the lookup.
 */
export interface Statement<_Row> extends Query {
  name: string;
  values: readonly unknown[];
}

/** Runs a statement and returns its rows. */
export async function run<Row>(db: Database | Trx, statement: Statement<Row>): Promise<Row[]> {
  const [rows] = await together<[Row]>(db, [statement]);
  return rows;
}

/**
 * Runs a query whose text depends on the request, written as kysely's `sql`, and returns its rows. Each connection
 * prepares the first texts of a name once, because planning such a query takes longer than running it. Others are
 * planned at each call.
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
 * Sends statements at once on one connection, and returns the rows of each: they take one round trip. PostgreSQL runs
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
 * Sends a statement of a transaction without waiting for its answer: the next statement travels with it. If it fails,
 * the next awaited statement, or the commit, throws its error. It must not be the first statement of its transaction,
 * because the answer of `begin` is still pending too.
 */
export async function send(trx: Trx, statement: Statement<unknown>): Promise<void> {
  await onConnection(trx, async (connection) => connection.send(statement));
}

function onConnection<Result>(db: Database | Trx, use: (connection: Connection) => Promise<Result>): Promise<Result> {
  return db.getExecutor().provideConnection((connection) => use(connection as Connection));
}

/**
 * Waits until everything that others have committed so far is wherever commits must be (`synchronous_commit`,
 * `synchronous_standby_names`). What a statement has read may not be there yet: after a crash, PostgreSQL shows commits
 * that its standbys have not received. A commit waits for everything before it in the log, so this makes an empty one.
 * In a transaction, the commit of the transaction waits, even if it writes nothing else.
 */
export async function untilConfirmed(db: Database | Trx): Promise<void> {
  const name = 'until_confirmed';
  await run(db, { name, text: `select pg_logical_emit_message(true, '${name}', '')`, values: [] });
}

/**
 * One column of many rows: its name, PostgreSQL type and values, and optionally SQL that computes what to store for
 * each value.
 */
export type Column = readonly [
  name: string,
  type: string,
  values: readonly unknown[],
  stored?: (column: string) => string,
];

/** Returns a set of rows for a FROM clause from columns of equal length, with one parameter per column. */
export function buildRows(columns: readonly Column[]): RawBuilder<unknown> {
  const arrays = columns.map(([, type, values]) => sql`(select ${arrayText(type, values)}::${sql.raw(type)}[])`);
  return sql`unnest(${sql.join(arrays)})`;
}

/**
 * Inserts many rows in one statement, without waiting for its answer (see `send`); without rows it is a no-op. The same
 * table always gets the same columns, of which the first has no null. A column with only nulls is sent empty, because
 * `unnest` pads shorter arrays with nulls. `beside`: an item that FROM lists after the rows, which the SQL of columns
 * may refer to, and its one value.
 */
export async function insertRows(
  trx: Trx,
  table: string,
  columns: readonly Column[],
  beside?: { from: (value: string) => string; value: unknown },
): Promise<void> {
  if (columns[0] === undefined || columns[0][2].length === 0) return;
  const names = columns.map(([name]) => name).join(', ');
  const stored = columns.map(([name, , , expression]) => expression?.(name) ?? name).join(', ');
  const arrays = columns.map(([, type], place) => `$${place + 1}::${type}[]`).join(', ');
  const from = beside?.from(`$${columns.length + 1}`) ?? '';
  await send(trx, {
    name: `insert_${table}`,
    text: `insert into ${table} (${names}) select ${stored} from unnest(${arrays}) as row (${names})${from}`,
    values: [
      ...columns.map(([, type, values]) => arrayText(type, values.every((value) => value === null) ? [] : values)),
      ...(beside ? [beside.value] : []),
    ],
  });
}

const UNQUOTED = ['bigint', 'integer', 'int', 'smallint', 'boolean'];
const JSON_TYPES = ['json', 'jsonb'];
const TO_ESCAPE = /["\\]/;

/**
 * Encodes values of a PostgreSQL type as the text of an array. The driver does the same, but takes several times as
 * long. Values of other types are returned unchanged, for the driver.
 */
export function arrayText(type: string, values: readonly unknown[]): unknown {
  if (UNQUOTED.includes(type)) return `{${values.map((value) => value ?? 'null').join(',')}}`;
  // JSON escapes quotes and backslashes just as the text of an array does, and JSON contains nothing else to escape.
  if (JSON_TYPES.includes(type)) return `{${values.map((text) => JSON.stringify(text)).join(',')}}`;
  return type === 'text' ? textArray(values as (string | null)[]) : values;
}

/** Encodes ids or other bigints as the text of an array. */
export const bigintArray = (values: readonly unknown[]) => arrayText('bigint', values);

/** Encodes texts as the text of an array, so that each row of a statement can have its own array. */
export function textArray(texts: readonly (string | null | undefined)[]): string {
  return `{${texts.map((text) => (text === null || text === undefined ? 'null' : quote(text))).join(',')}}`;
}

const quote = (text: string) => (TO_ESCAPE.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : `"${text}"`);

/** Returns a JSON object with these keys: PostgreSQL finds a key there faster than in a list. */
export const jsonKeys = (keys: Iterable<string>) =>
  JSON.stringify(Object.fromEntries([...keys].map((key) => [key, 0])));

const MAX_ID = 9_223_372_036_854_775_807n;
const DIGITS = /^[1-9]\d{0,18}$/;

/** Whether a text is a valid row id: decimal digits without a leading zero, within 63 bits. */
export function isId(text: string): boolean {
  return DIGITS.test(text) && BigInt(text) <= MAX_ID;
}

/** Parses a bigint column, which pg returns as text. For numbers and times only: ids stay text. */
export function parseBigint(column: string | null): number | null {
  return column === null ? null : Number(column);
}
