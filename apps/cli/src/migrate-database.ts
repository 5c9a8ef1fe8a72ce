import { QUEUE_NAME } from '@lockstep/orders';
import {
  type Migrated,
  type MigrateOptions,
  migratePostgresQueue,
  migrateToLatest,
  openDatabase,
  type QueueBackend,
  readSchemaState,
} from '@lockstep/platform';

/** How long the migration of the queue's tables waits for a lock. */
const QUEUE_LOCK_TIMEOUT_MS = 15_000;

/**
 * Brings the service's and the queue's tables to the version of this release, as far as older processes that are
 * connected allow.
 * @throws Error that says so when the database is newer than this release, or older processes are in the way of what it
 *   needs; otherwise what `migrateToLatest` throws
 */
export async function migrateDatabase(
  databaseUrl: string,
  queue: QueueBackend,
  options: MigrateOptions = {},
): Promise<Migrated> {
  const db = openDatabase({ url: databaseUrl, poolSize: 2, applicationName: 'lockstep-migrate', onError: () => {} });
  try {
    const { state, reason } = await readSchemaState(db, queue.kind);
    if (state === 'ahead') throw new Error(reason);
    const migrated = await migrateToLatest(db, options);
    if (queue.kind === 'postgres') {
      await migratePostgresQueue(queue.url, QUEUE_NAME, options.lockTimeoutMs ?? QUEUE_LOCK_TIMEOUT_MS);
    }
    if (migrated.isBehind) throw new Error(`this version cannot work yet. ${describeLeft(migrated)}`);
    return migrated;
  } finally {
    await db.destroy();
  }
}

/** Says what a migration had to leave for now, because of whom, and what to do. */
export function describeLeft({ left, olderProcesses }: Migrated): string {
  const who = olderProcesses.map(({ who: name, sessions }) => `${name} (${sessions} sessions)`).join(', ');
  return `Left for now: ${left.join(', ')}, because processes of an older version are connected: ${who}. When they have ended, run npm run migrate again.`;
}
