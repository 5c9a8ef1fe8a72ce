import { Refusal } from '@lockstep/contract';
import type { ChannelPause, Pause } from '@lockstep/contract/console';
import { type Database, inMs, inTransaction, isOverload, type Statement, type Trx, together } from '@lockstep/platform';
import { sql } from 'kysely';
import { channelOf, channelOfColumn, lanesOfChannel, lockedLanes, timeout } from '../lanes.ts';

/** How long a pause waits for transactions that started before it (rules 9). */
const IDLE_WITHIN_MS = 12_000;

/** The Retry-After of a call refused because of a pause: people resume a channel. */
const RETRY_AFTER_SECONDS = 30;

type Recording = (trx: Trx) => Promise<void>;

/**
 * Pauses a channel, so that its orders stay pending, and waits for transactions that started before (rules 9).
 * `isIdle`: whether all of them have finished; if false, a drain or a call still applies orders of the channel.
 * Returns undefined if there is no such channel.
 */
export async function pauseChannel(
  db: Database,
  code: string,
  record: Recording,
): Promise<(ChannelPause & { isIdle: boolean }) | undefined> {
  const found = await setPaused(db, code, true, record);
  return found && { ...found.pause, isIdle: await awaitIdle(db, found.id) };
}

/** Resumes a channel (rules 9). Returns undefined if there is no such channel. */
export async function resumeChannel(db: Database, code: string, record: Recording): Promise<ChannelPause | undefined> {
  return (await setPaused(db, code, false, record))?.pause;
}

function setPaused(db: Database, code: string, isPaused: boolean, record: Recording) {
  return inTransaction(db, async (trx) => {
    // Not `for update`, which would make new customers of the channel wait.
    const { rows } = await sql<ChannelPause & { id: number }>`
      with before as (select id, paused_time from channel where code = ${code} for no key update)
      update channel set paused_time = case when ${isPaused} then coalesce(before.paused_time, statement_timestamp()) end
      from before where channel.id = before.id
      returning channel.id, ${inMs('channel.paused_time')} as "pausedTime",
        (before.paused_time is not null) = ${isPaused} as "isNoOp"`.execute(trx);
    if (rows.length === 0) return undefined;
    const { id, ...pause } = rows[0]!;
    if (!pause.isNoOp) await record(trx);
    return { id, pause };
  });
}

/**
 * Waits for all transactions that locked a lane of the channel before the pause was committed. Transactions that lock a
 * lane later see the pause, because they read pending orders under the lock.
 */
async function awaitIdle(db: Database, channelId: number): Promise<boolean> {
  const locking = [timeout('statement_timeout', IDLE_WITHIN_MS), lockedLanes(lanesOfChannel(channelId))] as const;
  try {
    await inTransaction(db, (trx) => together(trx, locking));
    return true;
  } catch (error) {
    if (isOverload(error)) return false;
    throw error;
  }
}

/** Returns those of these channels that are paused, and since when. */
export async function readPaused(
  db: Database,
  { ids = [], codes = [] }: { ids?: readonly number[]; codes?: readonly string[] },
) {
  const { rows } = await sql<Pick<Pause, 'channelCode' | 'pausedTime'>>`
    select code as "channelCode", ${inMs('paused_time')} as "pausedTime" from channel
    where paused_time is not null and (id = any (${ids}::int[]) or code = any (${codes}::text[]))
    order by code`.execute(db);
  return rows;
}

/** SQL: whether the channel of a lane is paused. `lane` names the column. */
export const isPaused = (lane: string) => `exists (
  select from channel where channel.id = ${channelOfColumn(lane)} and paused_time is not null
)`;

export function findingPaused(lanes: readonly number[]): Statement<{ id: number; code: string }> {
  return {
    name: 'find_paused',
    text: 'select id, code from channel where id = any ((select $1::int[])::int[]) and paused_time is not null',
    values: [[...new Set(lanes.map(channelOf))]],
  };
}

export function refusePaused(code: string): Refusal {
  const refusal = new Refusal('channel_paused', code);
  refusal.retryAfterSeconds = RETRY_AFTER_SECONDS;
  return refusal;
}
