export { type Activity, readActivity, readFailureCauses } from './operator-activity.ts';
export { findOldestPending, readWaitingWork, type WaitingBatch, type WaitingWork } from './operator-delays.ts';

import type {} from './tables.ts';

export { pickDelayed } from './channel-list.ts';
export { listHolds, readStuck, type Stuck } from './list-holds.ts';
export { groupFailures, listOrdersOfBatch, type OperatorBatch, readAnyBatch } from './operator-batch.ts';
export { listAllBatches } from './operator-batches.ts';
export { compareWithFailed } from './operator-difference.ts';
export { readFailedContent } from './operator-failed.ts';
export { countHidden, putBackHidden } from './operator-hidden.ts';
export { readAnyOrder, readOrderText, readStoredOrder, showContent } from './operator-order.ts';
export { listAllOrders } from './operator-orders.ts';
export { markPasswords } from './operator-passwords.ts';
