import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';

/** What an archive of a period does, one after the other. */
export type ArchiveStep = 'copying' | 'detaching' | 'writing' | 'dropping' | 'done';

/** How far the archive of a period is. */
export interface ArchiveRecord {
  number: number;
  step: ArchiveStep;
  /** Where its files are, or will be. */
  directory: string;
  startedTime: Date;
  /** Since when its batches are refused; null as long as they are not. */
  archivedTime: Date | null;
  /** When it did something the last time. */
  changedTime: Date;
  batches: number | null;
  orders: number | null;
  /** The bytes of its files; null until they are verified. */
  bytes: number | null;
}

/** Reads how far the archives of periods are, oldest period first. */
export async function readArchives(db: Database): Promise<ArchiveRecord[]> {
  const { rows } = await sql<ArchiveRecord>`
    select number, step, directory, started_time as "startedTime", archived_time as "archivedTime",
      changed_time as "changedTime", batches::float8 as batches, orders::float8 as orders, bytes::float8 as bytes
    from period_archive order by number`.execute(db);
  return rows;
}

/** Reads how far the archive of a period is; undefined if none has begun. */
export async function readArchive(db: Database, number: number): Promise<ArchiveRecord | undefined> {
  return (await readArchives(db)).find((archive) => archive.number === number);
}

/** Notes that the archive of a period begins. */
export async function beginArchive(db: Database, number: number, directory: string): Promise<void> {
  await sql`insert into period_archive (number, step, directory) values (${number}, 'copying', ${directory})`.execute(
    db,
  );
}

/** Notes that an archive goes on, with its files in a directory. */
export async function continueArchive(db: Database, number: number, directory: string): Promise<void> {
  await sql`
    update period_archive set directory = ${directory}, changed_time = statement_timestamp()
    where number = ${number}`.execute(db);
}

/** Notes that an archive does something. */
export async function noteProgress(db: Database, number: number): Promise<void> {
  await sql`update period_archive set changed_time = statement_timestamp() where number = ${number}`.execute(db);
}

/** Notes the next step of an archive. From `detaching` on its batches are refused. */
export async function enterStep(
  db: Database,
  number: number,
  step: ArchiveStep,
  sizes: Partial<Pick<ArchiveRecord, 'batches' | 'orders' | 'bytes'>> = {},
): Promise<void> {
  const { batches = null, orders = null, bytes = null } = sizes;
  await sql`
    update period_archive set step = ${step}, changed_time = statement_timestamp(),
      archived_time = coalesce(archived_time, statement_timestamp()),
      batches = coalesce(${batches}::bigint, batches), orders = coalesce(${orders}::bigint, orders),
      bytes = coalesce(${bytes}::bigint, bytes)
    where number = ${number}`.execute(db);
}
