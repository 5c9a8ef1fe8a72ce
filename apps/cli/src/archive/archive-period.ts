import {
  type ArchiveRecord,
  type ArchiveStep,
  beginArchive,
  continueArchive,
  copyPeriod,
  enterStep,
  findObstacle,
  listPeriods,
  readArchive,
} from '@lockstep/orders';
import { type Database, isOverload } from '@lockstep/platform';
import { sql } from 'kysely';
import { prepareDirectory } from './archive-directory.ts';
import { detachPeriod, dropPeriod } from './detach-period.ts';
import { requireManifest, writeManifest } from './manifest.ts';
import { awaitRunningTransactions } from './patient.ts';
import { type PeriodToWrite, verifyPeriod, writePeriod } from './write-period.ts';

/** An archive to be made. */
export interface ArchiveOrder extends Omit<PeriodToWrite, 'db'> {
  /** The version of Lockstep. */
  release: string;
}

/**
 * Archives a period, while the service works: copies what stays reachable, detaches the period's tables, writes them into
 * files, reads these back and drops the tables. Whatever ends it, it goes on at its step when it is called again; once all is
 * done, it does nothing.
 *
 * Throws an Error that says why the period cannot be archived.
 */
export async function archivePeriod(db: Database, order: ArchiveOrder): Promise<ArchiveRecord> {
  return await db.connection().execute(async (session) => {
    await sql`set timezone = 'UTC'`.execute(session);
    // If this process is killed, PostgreSQL ends what it does for it.
    await sql`set client_connection_check_interval = '1s'`.execute(session);
    // The role may have one that is meant for calls. Periods are counted and read for minutes.
    await sql`set statement_timeout = 0`.execute(session);
    await lockAlone(session);
    try {
      return await archive(session, order);
    } finally {
      await sql`select pg_advisory_unlock(hashtext('lockstep archive'))`.execute(session).catch(() => {});
    }
  });
}

/** How long it waits for another one that archives: what was killed may hold its lock for a moment. */
const OTHER_ENDS_MS = 5_000;

async function lockAlone(db: Database): Promise<void> {
  await sql`select set_config('lock_timeout', ${`${OTHER_ENDS_MS}ms`}, false)`.execute(db);
  try {
    await sql`select pg_advisory_lock(hashtext('lockstep archive'))`.execute(db);
  } catch (error) {
    if (!isOverload(error)) throw error;
    throw new Error('A period is being archived already. Wait until that is done.', { cause: error });
  } finally {
    await sql`reset lock_timeout`.execute(db);
  }
}

async function archive(db: Database, order: ArchiveOrder): Promise<ArchiveRecord> {
  const { period } = order;
  const begun = await readArchive(db, period);
  if (begun === undefined) await begin(db, order);
  else await goOn(db, begun, order);
  for (let step = begun?.step ?? 'copying'; step !== 'done'; ) step = await STEPS[step]({ ...order, db });
  return (await readArchive(db, period))!;
}

async function begin(db: Database, { period, directory, say }: ArchiveOrder): Promise<void> {
  await requireNoObstacle(db, period);
  await prepareDirectory(directory, { mayHoldOurs: false });
  // One of them may hold an id of the period from before the next one began.
  await awaitRunningTransactions(db, say);
  await requireNoObstacle(db, period);
  await beginArchive(db, period, directory);
}

async function requireNoObstacle(db: Database, period: number): Promise<void> {
  const obstacle = await findObstacle(db, period);
  if (obstacle !== null) throw new Error(`Period ${period} cannot be archived. ${obstacle}`);
}

async function goOn(db: Database, begun: ArchiveRecord, { period, directory }: ArchiveOrder): Promise<void> {
  const isSame = begun.directory === directory;
  // Whoever did not hear that it was done calls again, and is told so.
  if (begun.step === 'done' && isSame) return;
  if (begun.step === 'done') throw new Error(`Period ${period} is archived already, in ${begun.directory}.`);
  if (begun.step === 'dropping' && !isSame) {
    throw new Error(`The files of period ${period} are in ${begun.directory}. Give that directory.`);
  }
  await prepareDirectory(directory, { mayHoldOurs: isSame });
  await continueArchive(db, period, directory);
}

/** What each step does; it returns the next one. */
const STEPS: Record<Exclude<ArchiveStep, 'done'>, (order: ArchiveOrder & { db: Database }) => Promise<ArchiveStep>> = {
  async copying({ db, period, say }) {
    say('copying what stays reachable');
    const copied = await copyPeriod(db, period);
    // Whoever looks from now on finds the copy where the batch is gone.
    await awaitRunningTransactions(db, say);
    await enterStep(db, period, 'detaching', copied);
    return 'detaching';
  },

  async detaching({ db, period, say }) {
    await detachPeriod(db, period, say);
    await enterStep(db, period, 'writing');
    return 'writing';
  },

  async writing(order) {
    const { db, period, directory, release } = order;
    await writePeriod(order);
    const tables = await verifyPeriod(order);
    const { beganTime, endedTime } = (await listPeriods(db)).find((listed) => listed.period === period)!;
    const writtenTime = new Date();
    await writeManifest(directory, {
      format: 1,
      period,
      beganTime,
      endedTime: endedTime!,
      release,
      writtenTime,
      tables,
    });
    const bytes = tables.flatMap(({ pieces }) => pieces).reduce((sum, piece) => sum + piece.bytes, 0);
    await enterStep(db, period, 'dropping', { bytes });
    return 'dropping';
  },

  async dropping({ db, period, directory, say }) {
    await requireManifest(directory, period);
    await dropPeriod(db, period, say);
    await enterStep(db, period, 'done');
    return 'done';
  },
};
