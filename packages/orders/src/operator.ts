export { type Activity, readActivity, readFailureCauses } from './operator-activity.ts';
export { findOldestPending, readWaitingWork, type WaitingBatch, type WaitingWork } from './operator-delays.ts';
