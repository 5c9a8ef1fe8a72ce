import { type Database, textArray } from '@lockstep/platform';
import { sql } from 'kysely';
import pg from 'pg';
import { vi } from 'vitest';

/** A query as it was sent; the name is that of a prepared statement. */
type SentQuery = Pick<pg.QueryConfig, 'name' | 'text' | 'values'>;

interface Explained<Node> {
  'QUERY PLAN': [{ Plan: Node }];
}

/**
 * Records all queries from now on, until mocks are restored. `applicationName`: only those of such connections: a
 * service of this process reads in the background too, and a test's own database is called `test`.
 */
export function recordQueries(applicationName?: string): SentQuery[] {
  const sent: SentQuery[] = [];
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const { application_name: sender } = (this as unknown as { connectionParameters: pg.ClientConfig })
      .connectionParameters;
    if (applicationName === undefined || sender === applicationName) sent.push(args[0] as SentQuery);
    return query.apply(this, args);
  });
  return sent;
}

/**
 * Runs a statement and returns PostgreSQL's plan with the rows each step read: for a prepared statement the generic
 * plan, otherwise the plan for its values. `settings`: of its transaction, such as `set local enable_sort = off`.
 */
export async function explain<Node>(
  db: Database,
  { name, text, values = [] }: SentQuery,
  settings: readonly string[] = [],
): Promise<Node> {
  const { rows } = await db.connection().execute(async (session) => {
    for (const setting of settings) await sql.raw(setting.replace('local ', '')).execute(session);
    await sql.raw(`set plan_cache_mode = force_${name === undefined ? 'custom' : 'generic'}_plan`).execute(session);
    await sql.raw(`prepare explained as ${text}`).execute(session);
    try {
      const given = values.length === 0 ? '' : `(${values.map(literalOf).join(', ')})`;
      return await sql
        .raw<Explained<Node>>(`explain (analyze, format json) execute explained${given}`)
        .execute(session);
    } finally {
      await sql
        .raw('deallocate explained; reset plan_cache_mode; reset enable_sort; reset enable_seqscan')
        .execute(session);
    }
  });
  return rows[0]!['QUERY PLAN'][0].Plan;
}

function literalOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  const textOf = (part: unknown) => (part === null ? null : String(part));
  return pg.escapeLiteral(Array.isArray(value) ? textArray(value.map(textOf)) : String(value));
}

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

/** Runs a statement like explain, and returns how many rows of tables it reads. */
export async function countRows(db: Database, query: SentQuery): Promise<number> {
  const nodes = nodesOf(await explain<PlanNode>(db, query)).filter((node) => node['Relation Name'] !== undefined);
  return nodes.map(rowsReadBy).reduce((sum, rows) => sum + rows, 0);
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Plan nodes that read a table, an index or a function's result, not the output of other nodes. */
const READS = /^(Seq|Index|Index Only|Bitmap Index|Bitmap Heap|Function) Scan$/;

/** Rows that a node has read from its table or function. */
const rowsReadBy = (node: PlanNode) =>
  node['Actual Loops'] *
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0));

const MAX_ROWS_OF_WHOLE = 1_000;

/** Returns how many rows the statements of a page read, and which large tables they read completely. Empties `sent`. */
export async function costOfSent(
  db: Database,
  sent: SentQuery[],
): Promise<{ rowsRead: number; wholeTables: string[] }> {
  const scans: PlanNode[] = [];
  const statements = sent.splice(0);
  const settings = statements.flatMap(({ text }) => (text.startsWith('set local ') ? [text] : []));
  for (const query of statements.filter(({ text }) => /^\s*(select|with) /.test(text))) {
    const plan = await explain<PlanNode>(db, query, settings);
    scans.push(...nodesOf(plan).filter((node) => READS.test(node['Node Type'])));
  }
  // Full reads of small tables are allowed.
  const wholeTables = scans
    .filter((node) => node['Node Type'] === 'Seq Scan' && rowsReadBy(node) > MAX_ROWS_OF_WHOLE)
    .map((node) => node['Relation Name']!);
  return { rowsRead: scans.map(rowsReadBy).reduce((sum, rows) => sum + rows, 0), wholeTables };
}
