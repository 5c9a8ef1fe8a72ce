import { sql } from 'kysely';
import type { Database } from './database.ts';
import { flushedPosition, type LogPosition, type PositionRow, positionOf } from './log-position.ts';
import { named } from './statement.ts';

/** The primary, as it was when it wrote a mark. */
export interface MarkedPrimary {
  position: LogPosition;
  /** By its own clock, in milliseconds. */
  timeMs: number;
}

/**
 * Writes on the primary the mark of a process, which it then looks for on standbys. The commit waits for no standby: whether one
 * follows is what it is about.
 */
export async function writeMark(db: Database, reader: string): Promise<MarkedPrimary> {
  const statement = sql<PositionRow & { time_ms: number }>`
    insert into replica_mark (reader, timeline, written_ms, written_time)
    values (${reader}::uuid, left(pg_walfile_name(pg_current_wal_flush_lsn()), 8), ${performance.now()}::float8, now())
    on conflict (reader) do update set timeline = excluded.timeline, written_ms = excluded.written_ms,
      written_time = excluded.written_time
    returning ${flushedPosition}, (extract(epoch from written_time) * 1000)::float8 as time_ms,
      set_config('synchronous_commit', 'local', true) as commits_locally`;
  const { rows } = await named('write_replica_mark', statement).execute(db);
  const [row] = rows as [PositionRow & { time_ms: number }];
  return { position: positionOf(row), timeMs: row.time_ms };
}

/** Deletes the marks of processes that have ended: a day without a mark. */
export async function forgetOldMarks(db: Database): Promise<void> {
  await sql`delete from replica_mark where written_time < now() - interval '1 day'`.execute(db);
}

/** Has the primary write something to its disk, so that the record in front of it is complete there. */
export async function completeRecord(db: Database): Promise<void> {
  await named('complete_record', sql`select pg_logical_emit_message(false, 'lockstep', '', true)`).execute(db);
}
