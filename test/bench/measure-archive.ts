import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Edition } from './edition.ts';
import { fillOrders } from './fill-orders.ts';
import { ORDERS_PER_FILLED_BATCH } from './fill-statements.ts';
import { type Bench, type Figures, scaled } from './measure.ts';
import { openPool } from './open-pool.ts';
import { readStorage } from './storage.ts';

const ORDERS = 200_000;

/** What stays in the database of orders and batches whose period is archived, and what its files take. */
export interface ArchiveCosts {
  bytesOfOrder: number;
  bytesOfBatch: number;
  figures: Figures;
}

/** Fills a period with orders, begins the next one, and archives the first by the command. */
export async function measureArchive(bench: Bench, edition: Edition): Promise<ArchiveCosts> {
  const databaseUrl = await bench.machine.createDatabase(edition.template);
  const superuserUrl = bench.machine.superuserUrlOf(databaseUrl);
  const directory = join(bench.machine.directory, 'archive');
  const orders = scaled(bench, ORDERS, ORDERS_PER_FILLED_BATCH);
  await fillOrders(superuserUrl, edition, orders, 1);
  const db = openPool(superuserUrl, 1);
  try {
    // As if they were as old as events become.
    await db.query('set session_replication_role = replica');
    await db.query('delete from event');
    await db.query('select make_partitions()');
    await db.query('select begin_period(0)');
    const startedMs = performance.now();
    await promisify(execFile)(
      process.execPath,
      ['apps/cli/src/lockstep.ts', 'period', 'archive', '0', '--to', directory],
      { cwd: edition.directory, env: { ...process.env, DATABASE_URL: databaseUrl } },
    );
    const seconds = (performance.now() - startedMs) / 1_000;
    await db.query('vacuum (analyze)');
    const storage = new Map((await readStorage(db)).map((each) => [each.table, each.tableBytes + each.indexBytes]));
    const fileBytes = readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
    return {
      bytesOfOrder: storage.get('archived_order')! / orders,
      bytesOfBatch: (storage.get('archived_batch')! * ORDERS_PER_FILLED_BATCH) / orders,
      figures: { 'archived orders/s': orders / seconds, 'archive file bytes': fileBytes / orders },
    };
  } finally {
    await db.end();
    await bench.machine.dropDatabase(databaseUrl);
    await rm(directory, { recursive: true, force: true });
  }
}
