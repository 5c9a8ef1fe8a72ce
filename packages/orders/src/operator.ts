// What reads across applications. Only the console and packages/operators may import it.

import type {} from './tables.ts';

export { type HoldsAndStalls, readHoldsAndStalls } from './channels/gauges.ts';
export { pickDelayed } from './channels/list.ts';
export {
  findOldestPending,
  listHolds,
  readActivity,
  readFailureCauses,
  readWaitingWork,
  type WaitingWork,
} from './reading/activity.ts';
export { groupFailures, listOrdersOfBatch, type OperatorBatch, readAnyBatch, showBatch } from './reading/batches.ts';
export { readOrderText, readStoredOrder } from './reading/content.ts';
export { listRetries, showOrderDetail, showSentOrder } from './reading/orders.ts';
