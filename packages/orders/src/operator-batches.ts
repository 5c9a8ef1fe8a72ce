import type { ConsoleBatchesQuery, ConsoleBatchPage } from '@lockstep/contract/console';
import type { Database } from '@lockstep/platform';
import { buildSummary } from './batch-summary.ts';
import { readBatchPage } from './list-batches.ts';
import { OPERATOR } from './list-filters.ts';

/**
 * Lists batches of all applications, newest first, for operators.
 *
 * Throws a WrongCursor.
 */
export async function listAllBatches(db: Database, query: ConsoleBatchesQuery): Promise<ConsoleBatchPage> {
  const { rows, nextCursor } = await readBatchPage(db, OPERATOR, query);
  const batches = rows.map((row) => ({
    batchId: row.id,
    appKey: row.app_key,
    applicationName: row.application_name,
    ...buildSummary(row),
  }));
  return { batches, nextCursor };
}
