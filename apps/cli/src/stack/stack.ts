import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from '@lockstep/config';
import { requireOwn, writeDurably } from '@lockstep/embedded-postgres/own-files';
import type { Closable } from '@lockstep/platform';
import { CommandFault } from '../output/status.ts';

/** The file in which a running `npm start` keeps the URL of its embedded PostgreSQL; only its owner can read it. */
const getStackFile = (dataDir: string) => join(dataDir, 'stack.json');

/** The directory of the embedded PostgreSQL in DATA_DIR. */
export function postgresDirectory({ DATA_DIR }: Config): string {
  return join(DATA_DIR, 'postgres');
}

/** Creates DATA_DIR if it does not exist. Throws a one-line Error unless only this process's user can write to it. */
export async function prepareDataDir({ DATA_DIR }: Config): Promise<void> {
  try {
    await createDirectory(DATA_DIR);
    requireOwn(DATA_DIR);
    await rmdir(await mkdtemp(join(DATA_DIR, 'probe-')));
  } catch (error) {
    const reason = (error as Error).message;
    throw new Error(`DATA_DIR must be a directory that only this user can write to: ${reason}`, { cause: error });
  }
}

// Node.js's own `recursive` loops forever in a directory such as /proc, in which no directory can be created.
async function createDirectory(directory: string): Promise<void> {
  if (existsSync(directory)) return;
  await createDirectory(dirname(directory));
  // Any user may traverse it, so that PostgreSQL can run as an unprivileged user. Each file has its own mode.
  await mkdir(directory, { mode: 0o711 });
}

/**
 * Provides the database of `npm start`: DATABASE_URL, or an embedded PostgreSQL in DATA_DIR (rules 9). If `stop` aborts
 * a start, what has started ends, and the promise rejects.
 */
export async function provideDatabase(
  config: Config,
  stop: AbortSignal,
): Promise<Closable & { url: string; description: string }> {
  await prepareDataDir(config);
  const file = getStackFile(config.DATA_DIR);
  if (config.DATABASE_URL !== undefined) {
    return { url: config.DATABASE_URL, description: 'DATABASE_URL', close: async () => {} };
  }
  const { startEmbeddedPostgres } = await import('@lockstep/embedded-postgres');
  const postgres = await startEmbeddedPostgres({ directory: postgresDirectory(config), stop });
  writeDurably(file, JSON.stringify({ databaseUrl: postgres.databaseUrl }));
  return {
    url: postgres.databaseUrl,
    description: `embedded in ${config.DATA_DIR}`,
    async close() {
      await rm(file, { force: true });
      await postgres.stop();
    },
  };
}

/** The error if no `npm start` runs in DATA_DIR. It says what to do. */
export const nothingRuns = (dataDir: string, cause: unknown) =>
  new CommandFault('unreachable', `Nothing runs in ${dataDir}. Run npm start first, or set DATABASE_URL.`, { cause });

/**
 * Returns the URL of the database that the lockstep command works on. Throws what nothingRuns returns, or an Error if
 * another user may have prepared DATA_DIR.
 */
export async function findDatabaseUrl(config: Config): Promise<string> {
  if (config.DATABASE_URL !== undefined) return config.DATABASE_URL;
  const file = getStackFile(config.DATA_DIR);
  requireOwn(config.DATA_DIR, file);
  try {
    const { databaseUrl } = JSON.parse(await readFile(file, 'utf8')) as { databaseUrl: string };
    return databaseUrl;
  } catch (error) {
    throw nothingRuns(config.DATA_DIR, error);
  }
}
