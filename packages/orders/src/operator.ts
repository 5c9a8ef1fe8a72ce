import type {} from './tables.ts';

export { groupFailures, listOrdersOfBatch, type OperatorBatch, readAnyBatch } from './operator-batch.ts';
export { listAllBatches } from './operator-batches.ts';
export { readFailedContent } from './operator-failed.ts';
export { countHidden, putBackHidden } from './operator-hidden.ts';
export { markPasswords } from './operator-passwords.ts';
