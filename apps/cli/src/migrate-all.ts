import { QUEUE_NAME } from '@lockstep/orders';
import { migratePostgresQueue, migrateToLatest, openDatabase, type QueueBackend } from '@lockstep/platform';

/** Brings the service's and the queue's tables to the version in use; answers the migrations that ran. */
export async function migrate(databaseUrl: string, queue: QueueBackend): Promise<string[]> {
  const db = openDatabase({ url: databaseUrl, poolSize: 2, applicationName: 'lockstep-migrate', onError: () => {} });
  try {
    const applied = await migrateToLatest(db);
    if (queue.kind === 'postgres') await migratePostgresQueue(queue.url, QUEUE_NAME);
    return applied;
  } finally {
    await db.destroy();
  }
}
