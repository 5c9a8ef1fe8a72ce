// What tests of the whole service need of the inside. Nothing else imports it.

export type { SubmittedBatch } from './accepting/batch.ts';
export { applyOrders, storeApplied } from './applying/apply.ts';
export { drainLanes } from './applying/drain.ts';
export { endOrders } from './applying/end-orders.ts';
export { LargeTurn } from './applying/large-turns.ts';
export { tryOneOrder } from './applying/one-order.ts';
export { planOnLoaded } from './applying/plan-loaded.ts';
export { countActivity } from './channels/count-activity.ts';
export { LaneDrainer } from './draining/drainer.ts';
export { OneByOne } from './draining/one-by-one.ts';
export { type Drain, type DrainOutcome, MAX_DEBT, Scheduler } from './draining/scheduler.ts';
export { ENDS_CHANNEL } from './ending/batch-watch.ts';
export { DrainEnds } from './ending/drain-ends.ts';
export { endBatches, lockBatches } from './ending/end-batches.ts';
export type { Behind } from './ending/events.ts';
export { numberEvents } from './ending/numbering.ts';
export { OpenBatches } from './ending/open-batches.ts';
export { lockLanes, readBacklogsElsewhere, readLocked, tryingLanes } from './lane-locks.ts';
export { channelOf, LANES_OF_CHANNEL, laneOf, lanesOfChannel, NO_CHANNEL } from './lanes.ts';
export { openCursor } from './lists/cursor.ts';
export { OPERATOR } from './lists/filters.ts';
export { LIMITS } from './planning/limits.ts';
export { collectNeeds } from './planning/needs.ts';
export type { OrderWithId, Outcome } from './planning/outcome.ts';
export { planAll } from './planning/plan.ts';
export { readPages } from './results/reader.ts';
export { applyCalls, lookBefore } from './sync/calls.ts';
