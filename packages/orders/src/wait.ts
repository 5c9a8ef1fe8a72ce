import type { BatchResult, BatchResultQuery } from '@lockstep/contract';
import type { Database } from '@lockstep/platform';
import type { BatchWatch } from './batch-watch.ts';
import { isPending, readBatchResult } from './results.ts';

/**
 * What became of a batch, held until it is completed, `waitSeconds` are over or the client has gone (decisions 6.4).
 *
 * Throws a Refusal: batch_not_found.
 */
export async function awaitBatchResult(
  db: Database,
  watch: BatchWatch,
  applicationId: string,
  query: BatchResultQuery,
  gone: AbortSignal,
): Promise<BatchResult> {
  const deadlineMs = performance.now() + query.waitSeconds * 1_000;
  const isOver = () => performance.now() >= deadlineMs || gone.aborted || watch.isClosed;
  const { batchId, result } = await readBatchResult(db, applicationId, query);
  if (result.state === 'completed' || isOver()) return result;
  for (;;) {
    // Listens before it looks: what finishes in between wakes it.
    const progress = watch.progressOf(batchId, deadlineMs, gone);
    const pending = await isPending(db, batchId);
    if (!pending || isOver()) return (await readBatchResult(db, applicationId, query)).result;
    await progress;
  }
}
