import { type Kysely, sql } from 'kysely';

/** A table or a sequence, and what others than its owner may do with it. */
interface Granted {
  kind: 'table' | 'sequence';
  oid: number;
  name: string;
  privileges: { role: string; privilege: string }[];
}

/** What says what a role is for: who stores batches is the service, who only reads them is somebody who looks. */
const MODELS = { table: 'batch', sequence: 'batch_id' } as const;

/**
 * Runs a migration, and gives the roles that do not own the database what they need on the tables and sequences that it
 * makes: what they had on the one of the same name before, otherwise what they have on batches. Without this, processes
 * with a role of their own would wait until somebody grants it, those of the release before as well.
 */
export async function keepPrivileges(db: Kysely<unknown>, migrate: () => Promise<void>): Promise<void> {
  const before = await readGranted(db);
  await migrate();
  const known = new Set(before.map(({ oid }) => oid));
  const made = (await readGranted(db)).filter(({ oid }) => !known.has(oid));
  for (const { kind, name } of made) {
    const alike = before.filter((each) => each.kind === kind);
    const model = alike.find((each) => each.name === name) ?? alike.find((each) => each.name === MODELS[kind]);
    for (const { role, privilege } of model?.privileges ?? []) {
      // PostgreSQL's own words, but for the names.
      const grant = sql`grant ${sql.raw(privilege)} on ${sql.raw(kind)} ${sql.table(name)}`;
      await sql`${grant} to ${role === '' ? sql`public` : sql.id(role)}`.execute(db);
    }
  }
}

/** The tables and sequences of the schema `public`. A partition needs no privileges: it is reached by its table. */
async function readGranted(db: Kysely<unknown>): Promise<Granted[]> {
  const { rows } = await sql<Granted>`
    select case relkind when 'S' then 'sequence' else 'table' end as kind, pg_class.oid::int8::float8 as oid,
      relname as name,
      array(
        select jsonb_build_object('role', coalesce(rolname, ''), 'privilege', privilege_type)
        from aclexplode(relacl) left join pg_roles on pg_roles.oid = grantee
        where grantee <> relowner) as privileges
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'S') and not relispartition`.execute(db);
  return rows;
}
