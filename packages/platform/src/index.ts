// concurrency: deadlines, fair queues and shared readings; cursors of lists
export { Deadline, Overload } from './concurrency/deadline.ts';
export { FairQueue } from './concurrency/fair-queue.ts';
export { share } from './concurrency/share.ts';
export { type CursorPart, ListCursor, WrongCursor } from './cursor.ts';
// migrations: the schema of a release, and whether a database has it
export { explainFault, migrateToLatest } from './migrations/migrate.ts';
export { findSchemaFault, SchemaWatch } from './migrations/schema.ts';
// postgres: connections, statements, transactions, and what errors mean
export * from './postgres/database.ts';
export { describeError, isOverload, isTransient, lostAgainstOthers, WriteOutcomes } from './postgres/errors.ts';
export { Group } from './postgres/group.ts';
export { Listener, notify, readNotification } from './postgres/listener.ts';
export { OutcomeUnknown } from './postgres/pool.ts';
export { contains, findMatches, readBest } from './postgres/search.ts';
export * from './postgres/statement.ts';
export { inMs, MAX_SCANNED, readWalk, readWalkIn, textInMs } from './postgres/walk.ts';
// process: life cycle, log, metrics, traces and cleanup
export { type Aged, Cleanup, readCleanupBehind, registerCleanupGauge, SECONDS_OF_DAY } from './process/cleanup.ts';
export { type Closable, closeAll, type ReadinessCheck, runUntilSignal, type StartPart } from './process/lifecycle.ts';
export { createLogger, type Logger } from './process/log.ts';
export * from './process/metrics.ts';
export * from './process/tracing.ts';
// queue: BullMQ on Redis or PostgreSQL
export type { QueueBackend } from './queue/backend.ts';
export { migratePostgresQueue } from './queue/postgres.ts';
export { JobQueue, openConsumer, type QueueSight } from './queue/queue.ts';
