import type {} from './tables.ts';

export { BatchAcceptor } from './accept.ts';
export { JobAnnouncer } from './announcer.ts';
export { readBacklog } from './backlog.ts';
export { BatchWatch } from './batch-watch.ts';
export { BatchCanceller, CANCELS_AT_ONCE } from './cancel.ts';
export { FailedBatchReader } from './failed-batch.ts';
export { type Job, QUEUE_NAME } from './jobs.ts';
export { createOrderMetrics, type OrderMetrics, registerBacklogGauges } from './metrics.ts';
export { BatchPreviewer } from './preview.ts';
export { readOrderResult } from './results.ts';
export { retryFailedOrders } from './retry.ts';
export { BatchApplier, SYNC_GROUPS_AT_ONCE } from './sync.ts';
export { awaitBatchResult } from './wait.ts';
export { OrderWorker } from './work.ts';
