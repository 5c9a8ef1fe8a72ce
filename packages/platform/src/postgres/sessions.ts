import { sql } from 'kysely';
import type { Database } from './database.ts';

/** Who is connected to the database. */
export interface Sessions {
  /** Connections with the application name that was asked for. */
  named: number;
  /** Connections of all databases of the server, and how many it has. */
  connections: number;
  maxConnections: number;
  /**
   * When the oldest transaction began that is open in this database, in milliseconds; null if the others are not shown.
   */
  oldestTransactionTime: number | null;
}

/**
 * Reads who is connected to the database, and the time by its clock. PostgreSQL shows the name of every session, and
 * little else of another account's.
 */
export async function readSessions(db: Database, applicationName: string): Promise<Sessions & { time: number }> {
  const { rows } = await sql<Sessions & { time: number }>`
    select floor(extract(epoch from statement_timestamp()) * 1000)::float8 as time,
      count(*) filter (where datname = current_database() and application_name = ${applicationName})::int as named,
      count(*) filter (where backend_type = 'client backend' or backend_type is null)::int as connections,
      current_setting('max_connections')::int as "maxConnections",
      floor(extract(epoch from min(xact_start) filter (where datname = current_database() and pid <> pg_backend_pid()))
        * 1000)::float8 as "oldestTransactionTime"
    from pg_stat_activity where datname is not null`.execute(db);
  return rows[0]!;
}
