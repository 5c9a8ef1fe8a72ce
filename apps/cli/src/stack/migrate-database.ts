import { RELEASE } from '@lockstep/config';
import { migratePostgresQueue, migrateToLatest, openDatabase, type QueueBackend } from '@lockstep/platform';

/** How long to wait for the lock on the list of migrations, and for locks on the queue's tables. */
const LOCK_TIMEOUT_MS = 15_000;

/**
 * Migrates the tables of the service and of the queue to this release.
 * @throws what `migrateToLatest` throws
 */
export async function migrateDatabase(
  databaseUrl: string,
  queue: QueueBackend,
  onApplied?: (name: string) => void,
): Promise<void> {
  const name = { applicationName: 'lockstep-migrate', onError: () => {} };
  const db = openDatabase({ url: databaseUrl, poolSize: 2, lockTimeoutMs: LOCK_TIMEOUT_MS, ...name });
  try {
    await migrateToLatest(db, RELEASE, onApplied);
    if (queue.kind === 'postgres') await migratePostgresQueue(queue.url, LOCK_TIMEOUT_MS);
  } finally {
    await db.destroy();
  }
}
