import type { Database } from '@lockstep/platform';
import type { CompiledQuery } from 'kysely';

interface Explained<Node> {
  'QUERY PLAN': [{ Plan: Node }];
}

/** Runs a statement, and returns the plan by which PostgreSQL did so with what each step of it read. */
export async function explain<Node>(db: Database, query: CompiledQuery): Promise<Node> {
  const explaining = { ...query, sql: `explain (analyze, format json) ${query.sql}` } as CompiledQuery<Explained<Node>>;
  const { rows } = await db.executeQuery(explaining);
  return rows[0]!['QUERY PLAN'][0].Plan;
}
