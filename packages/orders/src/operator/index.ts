export { readActivity, readFailureCauses } from './activity.ts';
export { findOldestPending, listHolds, readWaitingWork, type WaitingWork } from './delays.ts';

import type {} from '../tables.ts';

export { pickDelayed } from '../channels/list.ts';
export { readStuck, type Stuck } from '../metrics.ts';
export { groupFailures, listAllBatches, listOrdersOfBatch, type OperatorBatch, readAnyBatch } from './batches.ts';
export { compareWithFailed } from './difference.ts';
export { countHidden, putBackHidden, readFailedContent } from './failed.ts';
export { listAllOrders, readAnyOrder, readOrderText, readStoredOrder, showContent } from './orders.ts';
export { markPasswords } from './passwords.ts';
