import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';

/**
 * Of every table of the service how many rows it has, and a digest of what is in them: two looks are equal where nothing
 * was stored, changed or removed in between. Nonces are left out, because every call uses one up.
 */
export async function contentOfTables(db: Database): Promise<Record<string, { rows: number; digest: string }>> {
  const { rows: tables } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'nonce'`.execute(db);
  const digests = tables.map(
    ({ name }) => sql`
      select ${sql.lit(name)} as name, count(*)::int as rows,
        md5(coalesce(string_agg(each::text, chr(10) order by each::text), '')) as digest
      from ${sql.table(name)} as each`,
  );
  // One query, because there are thousands of looks.
  const { rows: contents } = await sql<{ name: string; rows: number; digest: string }>`
    ${sql.join(digests, sql` union all `)}`.execute(db);
  return Object.fromEntries(contents.map(({ name, ...content }) => [name, content]));
}
