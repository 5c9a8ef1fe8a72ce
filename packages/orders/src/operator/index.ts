export { readActivity, readFailureCauses } from './activity.ts';
export { findOldestPending, readWaitingWork, type WaitingWork } from './delays.ts';

import type {} from '../tables.ts';

export { pickDelayed } from '../channels/list.ts';
export { type HoldsAndStalls, readHoldsAndStalls } from '../metrics.ts';
export { groupFailures, listAllBatches, listOrdersOfBatch, type OperatorBatch, readAnyBatch } from './batches.ts';
export { compareWithFailed } from './difference.ts';
export { countHidden, putBackHidden, readFailedContent } from './failed.ts';
export { listHolds } from './holds.ts';
export { markPasswords } from './mark-passwords.ts';
export { listAllOrders, readAnyOrder, readOrderText, readStoredOrder, showContent } from './orders.ts';
