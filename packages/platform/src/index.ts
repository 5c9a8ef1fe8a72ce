export { arrayText, textArray } from './array-text.ts';
export {
  type Aged,
  CleanUp,
  type CleanUpBehind,
  readCleanUpBehind,
  registerCleanUpGauge,
  SECONDS_OF_DAY,
} from './clean-up.ts';
export { parseBigint } from './columns.ts';
export { untilConfirmed } from './confirmed.ts';
export { OutcomeUnknown } from './connection.ts';
export { type CursorPart, ListCursor, WrongCursor } from './cursor.ts';
export {
  behindSavepoint,
  type Database,
  inSnapshot,
  inTransaction,
  openDatabase,
  type Trx,
  within,
} from './database.ts';
export { explainFault } from './database-faults.ts';
export { Deadline, Overload } from './deadline.ts';
export { FairQueue } from './fair-queue.ts';
export { Group } from './group.ts';
export { isId } from './ids.ts';
export { buildRows, type Column, insertRows } from './insert-rows.ts';
export {
  type Closable,
  closeAll,
  type ReadinessCheck,
  runUntilSignal,
  type StartPart,
} from './lifecycle.ts';
export { Listener } from './listener.ts';
export { createLogger, type Logger } from './log.ts';
export { createMetrics, type Metrics, SECONDS_BUCKETS } from './metrics.ts';
export { type MigrateOptions, migrateToLatest } from './migrate.ts';
export type { Release } from './migrations.ts';
export { openConsumer, openProducer } from './queue.ts';
export { GivenBack, type JobProducer, type QueueBackend } from './queue-backend.ts';
export { migratePostgresQueue } from './queue-postgres.ts';
export { assertRedisKeepsJobs } from './queue-redis.ts';
export { openQueueView, type QueueSight, type QueueView } from './queue-view.ts';
export { findSchemaFault } from './schema-state.ts';
export { SchemaWatch } from './schema-watch.ts';
export { readSessions, type Sessions } from './sessions.ts';
export {
  addChosenKeys,
  isConflict,
  isOverload,
  isTransient,
  lostAgainstOthers,
  violatesUnique,
} from './sql-state.ts';
export { prepared, run, type Statement, send, together, untilAnswered } from './statement.ts';
export type { Tables } from './tables.ts';
export { TransactionQueue } from './transaction-queue.ts';
export { WriteOutcomes } from './write-outcomes.ts';
