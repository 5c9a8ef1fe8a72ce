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
export { markPasswords, readOrderText, readStoredOrder, showContent } from './reading/content.ts';
export { readAnyOrder, showSentOrder } from './reading/orders.ts';
export { OPERATOR } from './reading/viewer.ts';
