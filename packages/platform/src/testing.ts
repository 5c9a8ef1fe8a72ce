// Internals that the tests of the whole service need. Only tests import it.

export { DEADLINE_EXCEEDED } from './concurrency/deadline.ts';
export { findLacking, OTHER_BASELINE, readMigrations } from './migrations/migrate.ts';
export { openPostgresQueue } from './queue/postgres.ts';
export { openRedisQueue } from './queue/redis.ts';
