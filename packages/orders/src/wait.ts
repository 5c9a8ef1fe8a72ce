import type { ApplicationId, BatchResult, BatchResultQuery } from '@lockstep/contract';
import type { Database } from '@lockstep/platform';
import type { BatchWatch } from './batch-watch.ts';
import { isOpen, readBatchResult } from './results.ts';

/**
 * Waits until a batch is completed, `waitSeconds` are over or the client has gone, and returns what became of it (rules
 * 6.4).
 *
 * Throws a Refusal: batch_not_found.
 */
export async function awaitBatchResult(
  db: Database,
  watch: BatchWatch,
  applicationId: ApplicationId,
  query: BatchResultQuery,
  gone: AbortSignal,
): Promise<BatchResult> {
  const deadlineMs = performance.now() + query.waitSeconds * 1_000;
  const isOver = () => performance.now() >= deadlineMs || gone.aborted || watch.isClosed;
  const { batchId, result } = await readBatchResult(db, applicationId, query);
  if (result.state === 'completed' || isOver()) return result;
  for (;;) {
    // Listens before it looks: an end in between wakes it.
    const end = watch.waitForEnd(batchId, deadlineMs, gone);
    if (!(await isOpen(db, batchId)) || isOver()) return (await readBatchResult(db, applicationId, query)).result;
    await end;
  }
}
