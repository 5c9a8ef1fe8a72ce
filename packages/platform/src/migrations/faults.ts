import pg from 'pg';
import { ReadOnlyServer } from '../postgres/pool.ts';
import { MigrationFailure, type Release } from './migrate.ts';

/** Describes a database to people by its address: host, port, database and role, never the password. */
function describeDatabase(url: string): string {
  const { hostname, port, pathname, username, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? (hostname || 'localhost');
  const role = decodeURIComponent(username);
  const database = decodeURIComponent(pathname.slice(1)) || role;
  return `PostgreSQL at ${host}:${port || 5432} (database "${database}", role "${role}")`;
}

/**
 * Reasons of PostgreSQL for refusing a connection or a statement; they continue a sentence that begins with its name.
 */
const REFUSALS: Record<string, string> = {
  '28P01': 'refuses the password of this role',
  '3D000': 'has no such database',
  '53300': 'has no connection left',
  '55P03': 'waited too long for a lock that another session holds; try again when nothing else uses it',
  '57014': 'took too long',
};

/** Error codes of the network and the driver when no PostgreSQL can be reached. */
const UNREACHABLE = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EPIPE',
  'ENOENT',
];

/**
 * Explains what is wrong with the database, in one line that continues after `PostgreSQL` or describeDatabase; null if
 * the error does not come from the database. It names no host, and quotes at most PostgreSQL's own message.
 */
export function explainDatabaseFault(error: unknown, { urlVariable, migrateCommand }: Release): string | null {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  const [line = ''] = message.split('\n');
  if (error instanceof pg.DatabaseError) {
    if (code in REFUSALS) return REFUSALS[code]!;
    // For the others, PostgreSQL itself says best what it refuses: a table, a line of pg_hba.conf, that it starts up.
    if (code === '42501') return `does not let this role do what is needed: ${line}`;
    if (code === '42P01' || code === '42703') {
      return `does not have the tables of this release (${line}): run ${migrateCommand}`;
    }
    return `answers: ${line}`;
  }
  if (error instanceof ReadOnlyServer) return 'takes no writes: it is a standby';
  if (UNREACHABLE.includes(code)) return `does not answer (${code})`;
  if (/timeout exceeded when trying to connect|due to connection timeout|^Query read timeout/.test(line)) {
    return 'does not answer in time';
  }
  if (/^Connection terminated|^Client has encountered a connection error/.test(line)) return 'has ended the connection';
  if (/client password must be a string/.test(line)) return `asks for a password, and ${urlVariable} has none`;
  if (/^The server does not support SSL/.test(line)) return `does not speak TLS, which ${urlVariable} asks for`;
  return null;
}

/** Explains in one line what went wrong in a command that works on a database. */
export function explainFault(error: unknown, databaseUrl: string, release: Release): string {
  if (error instanceof MigrationFailure) {
    const why = explainFault(error.cause, databaseUrl, release).replace(/\.$/, '');
    return `${error.message}: ${why}. What was done before it stays; when this is mended, run it again to go on.`;
  }
  const fault = explainDatabaseFault(error, release);
  if (fault !== null) return `${describeDatabase(databaseUrl)} ${fault}.`;
  return (error instanceof Error ? error.message : String(error)).split('\n')[0]!;
}
