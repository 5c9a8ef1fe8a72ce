import { ensureCluster, ensureRoleAndDatabase, LOCKSTEP_NAME, preparePlaces } from './cluster.ts';
import { chooseLauncher } from './launcher.ts';
import { lockDirectory } from './lock.ts';
import { findNativeDirectory } from './native-directory.ts';
import { findFreePort, startServer } from './server.ts';

/** A running PostgreSQL of this process. */
export interface EmbeddedPostgres {
  /** The URL for the role `lockstep`, which may create databases, and its own database `lockstep`. */
  readonly databaseUrl: string;
  /** Stops PostgreSQL and releases the directory. Further calls wait for the same stop. */
  stop(): Promise<void>;
}

/**
 * Starts a real PostgreSQL on the cluster in `directory`, and creates the cluster if there is none. PostgreSQL ends
 * with this process, even if that is killed. If one still runs, the next start in the same directory replaces it.
 * @param options.choosePort finds the TCP port; by default any free one
 * @param options.stop aborts the start and ends what has started; then the promise rejects
 * @throws Error if another running process uses the directory, PostgreSQL does not start (with the end of its log), or
 *   it cannot run as an unprivileged user (with what to do)
 */
export async function startEmbeddedPostgres(options: {
  directory: string;
  choosePort?: () => Promise<number>;
  stop?: AbortSignal;
}): Promise<EmbeddedPostgres> {
  const places = preparePlaces(options.directory, findNativeDirectory());
  const lock = lockDirectory(places.directory);
  try {
    const launcher = await chooseLauncher(places);
    await ensureCluster(places, launcher, options.stop);
    const server = await startServer(places, launcher, {
      ownerFile: lock.ownerFile,
      choosePort: options.choosePort ?? findFreePort,
      stop: options.stop,
    });
    try {
      const password = await ensureRoleAndDatabase(places, server.port);
      let stopped: Promise<void> | undefined;
      return {
        databaseUrl: `postgres://${LOCKSTEP_NAME}:${password}@127.0.0.1:${server.port}/${LOCKSTEP_NAME}`,
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
