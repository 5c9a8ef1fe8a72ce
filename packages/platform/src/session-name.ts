import { numberOf, shippedMigrations } from './shipped-migrations.ts';

/** The level of the releases whose sessions did not say theirs yet. */
const LEVEL_OF_UNSAID = 50;

/**
 * With BullMQ on PostgreSQL, the connection on which a worker of any release listens: BullMQ names it after the queue. The
 * worker's other sessions say which release it is of.
 */
const OF_BULLMQ = 'lockstep-orders';

/**
 * The name of a session in pg_stat_activity, which PostgreSQL shows every role: who it is, and behind a slash the number of
 * the newest migration that its release ships, such as `lockstep-worker/0057`. By it the migrator knows which processes
 * could not work with what a migration leaves.
 */
export function sessionName(who: string): string {
  return `${who}/${String(numberOf(shippedMigrations().at(-1)!.name)).padStart(4, '0')}`;
}

/** Reads the name of a session of any release; null if it is not one of Lockstep, or says nothing of its release. */
export function readSessionName(name: string): { who: string; level: number } | null {
  const parts = /^(lockstep-[a-z-]+)(?:\/(\d{4}))?$/.exec(name);
  if (parts === null || name === OF_BULLMQ) return null;
  return { who: parts[1]!, level: parts[2] === undefined ? LEVEL_OF_UNSAID : Number(parts[2]) };
}
