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

/** How long it waits for a lock outside of the service's migrations: on the record of them, and on the queue's tables. */
const LOCK_TIMEOUT_MS = 15_000;

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
  const lockTimeoutMs = options.lockTimeoutMs ?? LOCK_TIMEOUT_MS;
  const name = { applicationName: 'lockstep-migrate', onError: () => {} };
  const db = openDatabase({ url: databaseUrl, poolSize: 2, lockTimeoutMs, ...name });
  try {
    const { state, reason } = await readSchemaState(db, queue.kind);
    if (state === 'ahead') throw new Error(reason);
    const migrated = await migrateToLatest(db, options);
    if (queue.kind === 'postgres') {
      await migratePostgresQueue(queue.url, QUEUE_NAME, lockTimeoutMs);
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
