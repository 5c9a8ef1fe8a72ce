// What tests of the whole service need of the inside. Nothing else imports it.

export { writeCursor } from './cursor.ts';
export { findLacking, readMigrations } from './migrations/migrate.ts';
export { openPostgresQueue } from './queue/postgres.ts';
export { openRedisQueue } from './queue/redis.ts';
