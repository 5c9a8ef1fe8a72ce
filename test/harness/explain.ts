import { type Database, textArray } from '@lockstep/platform';
import { type CompiledQuery, sql } from 'kysely';
import pg from 'pg';

interface Explained<Node> {
  'QUERY PLAN': [{ Plan: Node }];
}

/**
 * Runs a statement, and returns the plan by which PostgreSQL did so with what each step of it read: for any values if the
 * statement has a name (`named`), else for its own.
 */
export async function explain<Node>(db: Database, query: CompiledQuery): Promise<Node> {
  const { rows } = await (query.sql.startsWith('-- name: ')
    ? explainKept<Node>(db, query)
    : db.executeQuery({ ...query, sql: `explain (analyze, format json) ${query.sql}` } as CompiledQuery<
        Explained<Node>
      >));
  return rows[0]!['QUERY PLAN'][0].Plan;
}

function explainKept<Node>(db: Database, { sql: text, parameters }: CompiledQuery) {
  return db.connection().execute(async (session) => {
    await sql.raw(`set plan_cache_mode = force_generic_plan; prepare kept as ${text}`).execute(session);
    try {
      const values = parameters.length === 0 ? '' : `(${parameters.map(literalOf).join(', ')})`;
      return await sql.raw<Explained<Node>>(`explain (analyze, format json) execute kept ${values}`).execute(session);
    } finally {
      await sql.raw('deallocate kept; set plan_cache_mode = auto').execute(session);
    }
  });
}

function literalOf(value: unknown): string {
  if (value === null) return 'null';
  const textOf = (part: unknown) => (part === null ? null : String(part));
  return pg.escapeLiteral(Array.isArray(value) ? textArray(value.map(textOf)) : String(value));
}
