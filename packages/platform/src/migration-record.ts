import { type Kysely, sql } from 'kysely';
import type { MigrationKind, ShippedMigration } from './shipped-migrations.ts';

/** The names of the migrations that have run on a database. */
export interface AppliedMigrations {
  /** History and contractions. A process that does not know one of them cannot work. */
  decisive: string[];
  /** Expansions. A process may work beside those that it does not know. */
  expansions: string[];
}

/** Reads which migrations have run. */
export async function readApplied(db: Kysely<unknown>): Promise<AppliedMigrations> {
  const { rows: tables } = await sql<{ name: string }>`
    select name from unnest(array['kysely_migration', 'schema_expansion']) as name
    where to_regclass(name) is not null`.execute(db);
  if (tables.length === 0) return { decisive: [], expansions: [] };
  const each = tables.map(({ name }) => sql`select ${name}::text as "table", name::text from ${sql.table(name)}`);
  const { rows } = await sql<{ table: string; name: string }>`${sql.join(each, sql` union all `)}`.execute(db);
  const namesIn = (table: string) => rows.filter((row) => row.table === table).map(({ name }) => name);
  return { decisive: namesIn('kysely_migration'), expansions: namesIn('schema_expansion') };
}

/** Whether this migration has run. */
export function isApplied({ name, kind }: ShippedMigration, applied: AppliedMigrations): boolean {
  return (isExpansion(kind) ? applied.expansions : applied.decisive).includes(name);
}

/** Notes that a migration has run, in the transaction of the migration. */
export async function noteApplied(db: Kysely<unknown>, { name, kind }: ShippedMigration): Promise<void> {
  if (isExpansion(kind)) await sql`insert into schema_expansion (name) values (${name})`.execute(db);
  else {
    await sql`
      insert into kysely_migration (name, timestamp) values (${name}, ${new Date().toISOString()})`.execute(db);
  }
}

/** Notes that a migration is taken back, in the transaction that does so. */
export async function forgetApplied(db: Kysely<unknown>, { name, kind }: ShippedMigration): Promise<void> {
  const table = isExpansion(kind) ? 'schema_expansion' : 'kysely_migration';
  await sql`delete from ${sql.table(table)} where name = ${name}`.execute(db);
}

function isExpansion(kind: MigrationKind): boolean {
  return kind === 'expansion' || kind === 'repeat';
}
