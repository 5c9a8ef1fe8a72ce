import { type Kysely, sql } from 'kysely';
import { readSessionName } from './session-name.ts';

/** Sessions of one kind of process, of a release that does not know a migration. */
export interface OlderProcesses {
  /** Such as `lockstep-worker`. */
  who: string;
  /** The number of the newest migration that their release ships. */
  level: number;
  sessions: number;
}

/**
 * Finds who is connected to the database from releases that do not know the migration with this number. Every process has
 * a session at any time, because it looks at the schema once a second, and PostgreSQL shows the names of sessions to every
 * role.
 */
export async function findOlderProcesses(db: Kysely<unknown>, number: number): Promise<OlderProcesses[]> {
  const { rows } = await sql<{ name: string; sessions: number }>`
    select application_name as name, count(*)::int as sessions from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name like 'lockstep-%'
    group by 1 order by 1`.execute(db);
  return rows.flatMap(({ name, sessions }) => {
    const read = readSessionName(name);
    return read === null || read.level >= number ? [] : [{ ...read, sessions }];
  });
}
