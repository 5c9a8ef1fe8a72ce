import { type Database, run } from '@lockstep/platform';

/** The sessions on the database server. */
export interface Sessions {
  /** Connections with the requested application name. */
  named: number;
  /** Connections to all databases of the server, and its limit. */
  connections: number;
  maxConnections: number;
  /**
   * When the oldest open transaction of this database began, in milliseconds; null if PostgreSQL hides other sessions.
   */
  oldestTransactionTime: number | null;
}

/**
 * Reads the sessions of the database, and the time by its clock. PostgreSQL shows the name of every session, and little
 * else of another role's.
 */
export async function readSessions(db: Database, applicationName: string): Promise<Sessions & { time: number }> {
  const [sessions] = await run<Sessions & { time: number }>(db, {
    name: 'read_sessions',
    text: `
      select floor(extract(epoch from statement_timestamp()) * 1000)::float8 as time,
        count(*) filter (where datname = current_database() and application_name = $1)::int as named,
        count(*) filter (where backend_type = 'client backend' or backend_type is null)::int as connections,
        current_setting('max_connections')::int as "maxConnections",
        floor(extract(epoch from min(xact_start) filter (where datname = current_database() and pid <> pg_backend_pid()))
          * 1000)::float8 as "oldestTransactionTime"
      from pg_stat_activity where datname is not null`,
    values: [applicationName],
  });
  return sessions!;
}
