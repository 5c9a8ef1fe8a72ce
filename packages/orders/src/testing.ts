// What tests of the whole service need from the inside of this package. Nothing else may import it.

export type { SubmittedBatch } from './accepting/batch.ts';
export { applyOrders, planOnLoaded, storeApplied } from './applying/apply.ts';
export { DrainFailed, drainLanes } from './applying/drain.ts';
export { Claims } from './applying/loop.ts';
export { countActivity } from './channels/count-activity.ts';
export { completeBatches, lockBatches, OpenBatches } from './completion/complete-batches.ts';
export { failInLanes } from './corrections/fail-orders.ts';
export { searchExpiries } from './feed/expiries.ts';
export { COMPLETIONS_CHANNEL, numberEvents } from './feed/numbering.ts';
export { freeLanes, LANES_OF_CHANNEL, laneOf, lanesOfChannel, lockLanes, readLocked } from './lanes.ts';
export type { OrderWithId, Outcome } from './planning/order.ts';
export { LIMITS } from './planning/order.ts';
export { collectNeeds, planAll } from './planning/plan.ts';
export { readPages } from './reading/results.ts';
export { openCursor } from './reading/viewer.ts';
export { applyCalls } from './sync/calls.ts';
