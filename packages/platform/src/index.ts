export { Deadline, Overload } from './concurrency/deadline.ts';
export { FairQueue } from './concurrency/fair-queue.ts';
export { type CursorPart, ListCursor, WrongCursor } from './cursor.ts';
export { isId } from './ids.ts';
export { explainFault } from './migrations/faults.ts';
export { type MigrateOptions, migrateToLatest } from './migrations/migrate.ts';
export type { Release } from './migrations/migrations.ts';
export { findSchemaFault } from './migrations/schema-state.ts';
export { SchemaWatch } from './migrations/schema-watch.ts';
export { arrayText, textArray } from './postgres/array-text.ts';
export { parseBigint } from './postgres/columns.ts';
export { untilConfirmed } from './postgres/confirmed.ts';
export { OutcomeUnknown } from './postgres/connection.ts';
export {
  behindSavepoint,
  type Database,
  inSnapshot,
  inTransaction,
  openDatabase,
  type Trx,
  within,
} from './postgres/database.ts';
export {
  addChosenKeys,
  isConflict,
  isOverload,
  isTransient,
  lostAgainstOthers,
  violatesUnique,
} from './postgres/errors.ts';
export { Group } from './postgres/group.ts';
export { buildRows, type Column, insertRows } from './postgres/insert-rows.ts';
export { Listener } from './postgres/listener.ts';
export { readSessions, type Sessions } from './postgres/sessions.ts';
export { prepared, run, type Statement, send, together, untilAnswered } from './postgres/statement.ts';
export type { Tables } from './postgres/tables.ts';
export { TransactionQueue } from './postgres/transaction-queue.ts';
export { WriteOutcomes } from './postgres/write-outcomes.ts';
export {
  type Aged,
  CleanUp,
  type CleanUpBehind,
  readCleanUpBehind,
  registerCleanUpGauge,
  SECONDS_OF_DAY,
} from './process/clean-up.ts';
export {
  type Closable,
  closeAll,
  type ReadinessCheck,
  runUntilSignal,
  type StartPart,
} from './process/lifecycle.ts';
export { createLogger, type Logger } from './process/log.ts';
export { createMetrics, type Metrics, SECONDS_BUCKETS } from './process/metrics.ts';
export { GivenBack, type JobProducer, type QueueBackend } from './queue/backend.ts';
export { migratePostgresQueue } from './queue/postgres.ts';
export { openConsumer, openProducer } from './queue/queue.ts';
export { assertRedisKeepsJobs } from './queue/redis.ts';
export { openQueueView, type QueueSight, type QueueView } from './queue/view.ts';
