import pg from 'pg';
import { isUnreachable } from '../postgres/errors.ts';
import { ReadOnlyServer } from '../postgres/pool.ts';
import { MigrationFailure, type Release } from './migrate.ts';

/** Returns a database's address for people: host, port, database and role, never the password. */
function describeDatabase(url: string): string {
  const { hostname, port, pathname, username, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? (hostname || 'localhost');
  const role = decodeURIComponent(username);
  const database = decodeURIComponent(pathname.slice(1)) || role;
  return `PostgreSQL at ${host}:${port || 5432} (database "${database}", role "${role}")`;
}

/** Why PostgreSQL refuses a connection or a statement. Each text continues a sentence that begins with its name. */
const REFUSALS: Record<string, string> = {
  '28P01': 'rejects the password of this role',
  '3D000': 'has no such database',
  '53300': 'has no free connections',
  '55P03': 'timed out waiting for a lock that another session holds; retry when no other session uses it',
  '57014': 'timed out',
};

/**
 * Explains a database error in one line that continues after `PostgreSQL` or describeDatabase; null if the error does
 * not come from the database. It names no host, and quotes at most PostgreSQL's own message.
 */
export function explainDatabaseFault(error: unknown, { urlVariable, migrateCommand }: Release): string | null {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  const [line = ''] = message.split('\n');
  if (error instanceof pg.DatabaseError) {
    if (code in REFUSALS) return REFUSALS[code]!;
    // For the other codes, PostgreSQL's own message is the most specific: a table, a line of pg_hba.conf, a startup in
    // progress.
    if (code === '42501') return `denies this role a required privilege: ${line}`;
    if (code === '42P01' || code === '42703') {
      return `lacks tables of this release (${line}): run ${migrateCommand}`;
    }
    return `reports: ${line}`;
  }
  if (error instanceof ReadOnlyServer) return 'is a read-only standby';
  if (isUnreachable(error)) return `is unreachable (${code})`;
  if (/timeout exceeded when trying to connect|due to connection timeout|^Query read timeout/.test(line)) {
    return 'does not respond in time';
  }
  if (/^Connection terminated|^Client has encountered a connection error/.test(line)) return 'closed the connection';
  if (/client password must be a string/.test(line)) return `requires a password, but ${urlVariable} has none`;
  if (/^The server does not support SSL/.test(line)) return `does not support TLS, but ${urlVariable} requires it`;
  return null;
}

/** Explains in one line why a command on the database failed. */
export function explainFault(error: unknown, databaseUrl: string, release: Release): string {
  if (error instanceof MigrationFailure) {
    const why = explainFault(error.cause, databaseUrl, release).replace(/\.$/, '');
    return `${error.message}: ${why}. Completed migrations are kept. Fix this, then run the command again.`;
  }
  const fault = explainDatabaseFault(error, release);
  if (fault !== null) return `${describeDatabase(databaseUrl)} ${fault}.`;
  return (error instanceof Error ? error.message : String(error)).split('\n')[0]!;
}
