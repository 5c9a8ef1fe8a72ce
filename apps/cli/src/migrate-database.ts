import { QUEUE_NAME } from '@lockstep/orders';
import {
  migratePostgresQueue,
  migrateToLatest,
  openDatabase,
  type QueueBackend,
  readSchemaState,
} from '@lockstep/platform';

/** How long a migration waits for a lock that others hold. Everyone behind it waits as long, so it is short. */
const LOCK_TIMEOUT_MS = 15_000;

/**
 * Brings the service's and the queue's tables to the version of this release.
 * @returns the names of the migrations that ran
 * @throws Error that says so when the database is newer than this release; otherwise what PostgreSQL threw
 */
export async function migrateDatabase(
  databaseUrl: string,
  queue: QueueBackend,
  lockTimeoutMs = LOCK_TIMEOUT_MS,
): Promise<string[]> {
  const db = openDatabase({
    url: databaseUrl,
    poolSize: 2,
    applicationName: 'lockstep-migrate',
    lockTimeoutMs,
    onError: () => {},
  });
  try {
    const { state, reason } = await readSchemaState(db, queue.kind);
    if (state === 'ahead') throw new Error(reason);
    const applied = await migrateToLatest(db);
    if (queue.kind === 'postgres') await migratePostgresQueue(queue.url, QUEUE_NAME, lockTimeoutMs);
    return applied;
  } finally {
    await db.destroy();
  }
}
