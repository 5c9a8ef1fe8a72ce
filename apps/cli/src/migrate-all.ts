import { QUEUE_NAME } from '@lockstep/orders';
import {
  migratePostgresQueue,
  migrateToLatest,
  openDatabase,
  type QueueBackend,
  readSchemaState,
} from '@lockstep/platform';

/** How long a migration waits for a lock that others hold. Who comes behind it waits as long, so it is not much. */
const LOCK_TIMEOUT_MS = 15_000;

/**
 * Brings the service's and the queue's tables to the version in use; answers the migrations that ran.
 * @throws Error that says so where the database is newer than this release; else what PostgreSQL threw
 */
export async function migrate(
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
