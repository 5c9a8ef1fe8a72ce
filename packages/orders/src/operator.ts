// What reads across applications. Only the console and packages/operators may import it.

export { type HoldsAndStalls, readHoldsAndStalls } from './channels/gauges.ts';
export { BEHIND_MS, pickDelayed, sumBacklog } from './channels/list.ts';
export { readPaused } from './channels/pauses.ts';
export { pickVisible } from './channels/state.ts';
export { retryHeldOrder } from './corrections/retry.ts';
export {
  readActivity,
  readFailedChannels,
  readFailureCauses,
  readWaitingWork,
  type WaitingWork,
} from './reading/activity.ts';
export { groupFailures, listOrdersOfBatch, type OperatorBatch, readAnyBatch, showBatch } from './reading/batches.ts';
export { readOrderText, readStoredOrder } from './reading/content.ts';
export { listRetries, showOrderDetail, showSentOrder } from './reading/orders.ts';
export { listHolds, type Resent, readHolds, readResent } from './reading/traces.ts';
