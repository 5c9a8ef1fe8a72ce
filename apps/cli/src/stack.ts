import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Closable, Config } from '@lockstep/platform';

/** Where a running embedded stack says how its database is reached; readable by the owner only. */
const stackFile = (dataDir: string) => join(dataDir, 'stack.json');

/** The database of `npm start`: DATABASE_URL, or a PostgreSQL of its own in DATA_DIR (decisions 9). */
export async function provideDatabase(config: Config): Promise<Closable & { url: string; description: string }> {
  // Passable, so that PostgreSQL can run as an unprivileged user where this runs as root; each file guards itself.
  await mkdir(config.DATA_DIR, { recursive: true, mode: 0o711 }).catch((error: Error) => {
    throw new Error(`DATA_DIR must be a directory that this process can write: ${error.message}`, { cause: error });
  });
  const file = stackFile(config.DATA_DIR);
  if (config.DATABASE_URL !== undefined) {
    return { url: config.DATABASE_URL, description: 'DATABASE_URL', close: async () => {} };
  }
  const { startEmbeddedPostgres } = await import('@lockstep/embedded-postgres');
  const postgres = await startEmbeddedPostgres({ directory: join(config.DATA_DIR, 'postgres') });
  await writeFile(file, JSON.stringify({ databaseUrl: postgres.databaseUrl }), { mode: 0o600 });
  return {
    url: postgres.databaseUrl,
    description: `embedded in ${config.DATA_DIR}`,
    async close() {
      await rm(file, { force: true });
      await postgres.stop();
    },
  };
}

/** That there is no embedded stack to work on, and what to do about it. */
export class NothingRuns extends Error {
  constructor(dataDir: string, cause: unknown) {
    super(`Nothing runs in ${dataDir}. Run npm start first, or set DATABASE_URL.`, { cause });
    this.name = 'NothingRuns';
  }
}

/** The database that the lockstep command works on. Throws NothingRuns. */
export async function findDatabaseUrl(config: Config): Promise<string> {
  if (config.DATABASE_URL !== undefined) return config.DATABASE_URL;
  try {
    const { databaseUrl } = JSON.parse(await readFile(stackFile(config.DATA_DIR), 'utf8')) as { databaseUrl: string };
    return databaseUrl;
  } catch (error) {
    throw new NothingRuns(config.DATA_DIR, error);
  }
}
