// What tests of the whole service need of the inside. Nothing else imports it.

export { applyOrders, planOnLoaded, storeApplied } from './apply.ts';
export type { SubmittedBatch } from './batch.ts';
export { ENDS_CHANNEL } from './batch-watch.ts';
export { countActivity } from './count-activity.ts';
export { drainLanes } from './drain.ts';
export { DrainEnds } from './drain-ends.ts';
export { endBatches, lockBatches } from './end-batches.ts';
export { endOrders } from './end-orders.ts';
export { numberEvents } from './event-numbering.ts';
export type { Behind } from './events.ts';
export { LaneDrainer } from './lane-drainer.ts';
export { lockLanes, readBacklogsElsewhere, readLocked, tryingLanes } from './lane-locks.ts';
export { channelOf, LANES_OF_CHANNEL, laneOf, lanesOfChannel, NO_CHANNEL } from './lanes.ts';
export { LargeTurn } from './large-turn.ts';
export { collectNeeds } from './ledger-needs.ts';
export { LIMITS } from './limits.ts';
export { openCursor } from './list-cursor.ts';
export { OPERATOR } from './list-filters.ts';
export { OneByOne } from './one-by-one.ts';
export { OpenBatches } from './open-batches.ts';
export type { OrderWithId, Outcome } from './outcome.ts';
export { planAll } from './plan.ts';
export { readPages } from './result-pages.ts';
export { type Drain, type DrainOutcome, MAX_DEBT, Scheduler } from './scheduler.ts';
export { applyCalls, lookBefore } from './sync-calls.ts';
