import type {} from './tables.ts';

export { BatchAcceptor } from './accept.ts';
export { agedOrders } from './aged.ts';
export { JobAnnouncer } from './announcer.ts';
export { copyPeriod } from './archive-copy.ts';
export { registerArchiveGauges } from './archive-metrics.ts';
export { findObstacle } from './archive-obstacles.ts';
export {
  type ArchiveRecord,
  type ArchiveStep,
  beginArchive,
  continueArchive,
  enterStep,
  noteProgress,
  readArchive,
} from './archive-record.ts';
export { readBacklog } from './backlog.ts';
export { BatchWatch } from './batch-watch.ts';
export { BatchCanceller, CANCELS_AT_ONCE } from './cancel.ts';
export { EventNumbering } from './event-numbering.ts';
export { EventWatch } from './event-watch.ts';
export { parsePosition, readBehind } from './events.ts';
export { FailedBatchReader } from './failed-batch.ts';
export { type Job, jobSchema, QUEUE_NAME } from './jobs.ts';
export { listBatches } from './list-batches.ts';
export { listOrders } from './list-orders.ts';
export { createOrderMetrics, type OrderMetrics, registerBacklogGauges } from './metrics.ts';
export { listPeriods } from './period-list.ts';
export { PERIOD_TABLES, type PeriodTable, partitionOf } from './periods.ts';
export { BatchPreviewer } from './preview.ts';
export { ResultReader } from './result-reader.ts';
export { readOrderResult } from './results.ts';
export { retryFailedOrders } from './retry.ts';
export { BatchApplier, SYNC_GROUPS_AT_ONCE } from './sync.ts';
export { awaitBatchResult, awaitEvents } from './wait.ts';
export { OrderWorker } from './work.ts';
export { WORKER_NAME } from './worker-name.ts';
