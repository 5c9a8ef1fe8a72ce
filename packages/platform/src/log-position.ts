import { sql } from 'kysely';

/**
 * A place in the log (WAL) of the PostgreSQL that is written to. What was committed and told to anybody before the place was
 * read stands in front of it: a commit shows to others, and is answered, only when its record is on the disk.
 */
export interface LogPosition {
  /** Which history the place is in: a standby that is promoted begins another one. Places of different ones do not compare. */
  timeline: string;
  bytes: number;
}

/** The columns of `flushedPosition`. */
export interface PositionRow {
  timeline: string;
  flushed_bytes: number;
}

/**
 * For a SELECT list: up to where the log is on the disk, looked up once a statement, whatever the number of rows. Of commits
 * that do not wait for the disk (`synchronous_commit = off`) it says nothing. Only for the server that is written to.
 */
export const flushedPosition = sql`
  (select left(pg_walfile_name(pg_current_wal_flush_lsn()), 8)) as timeline,
  (select (pg_current_wal_flush_lsn() - '0/0')::float8) as flushed_bytes`;

/** Reads a row that has the columns of `flushedPosition`. */
export function positionOf({ timeline, flushed_bytes: bytes }: PositionRow): LogPosition {
  return { timeline, bytes };
}

/** The place behind all of these; null if they are of several timelines, or none. */
export function latestOf(positions: readonly LogPosition[]): LogPosition | null {
  const [first] = positions;
  if (first === undefined || positions.some(({ timeline }) => timeline !== first.timeline)) return null;
  return { timeline: first.timeline, bytes: Math.max(...positions.map(({ bytes }) => bytes)) };
}
