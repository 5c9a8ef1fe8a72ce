import type { LedgerIds } from '@lockstep/assets';
import type { CustomerId } from '@lockstep/contract';
import { type Database, inTransaction, type Logger, lostAgainstOthers, send, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { isPaused } from '../channels/pauses.ts';
import { channelOfColumn, LOCK_WAIT_MS, lockLanes, timeout } from '../lanes.ts';
import { PayloadFault } from '../stored-orders.ts';
import { applyUpToFailure } from './apply-in-parts.ts';
import type { Drainer } from './drain.ts';
import { type Applied, finishOrders } from './finish.ts';
import { asChunks, type HeldOrder, makeDue, readOldestHeld, recordFailure, releaseHeld, withId } from './holds.ts';
import { type Became, DrainLoop } from './loop.ts';

interface RetryTools {
  db: Database;
  log: Logger;
  ids: LedgerIds;
  drainer: Drainer;
}

interface Hold {
  customer_id: CustomerId;
  lane: number;
}

/**
 * Retries the orders of held customers when they are due, the oldest order of each first (rules 6.2). Channels take
 * turns, with one transaction each.
 */
export class HoldRetries {
  readonly #tools: RetryTools;
  readonly #loop = new DrainLoop(1, () => this.#retryDue());
  /** Lanes that were locked since the last start. They must not delay holds of other lanes. */
  readonly #busyLanes = new Set<number>();

  constructor(tools: RetryTools) {
    this.#tools = tools;
  }

  /** Starts retrying what is due, without waiting. */
  start(): void {
    this.#busyLanes.clear();
    this.#loop.ring();
  }

  stop(): void {
    this.#loop.stop();
  }

  close(): Promise<void> {
    return this.#loop.close();
  }

  /** Retries one due hold of each channel. */
  async #retryDue(): Promise<Became> {
    const { db, log } = this.#tools;
    try {
      const due = await findDue(db, this.#busyLanes);
      let hasWorked = false;
      for (const hold of due) if (await this.#retry(hold)) hasWorked = true;
      // The fault may be gone for all held orders.
      if (hasWorked) await makeDue(db);
      return due.length > 0 ? 'worked' : 'idle';
    } catch (error) {
      log.debug({ err: error }, 'retries of held orders failed; will retry');
      return 'failed';
    }
  }

  /** Applies the oldest orders of a customer, in one transaction. Returns whether it applied any. */
  async #retry(hold: Hold): Promise<boolean> {
    const { db, log, ids, drainer } = this.#tools;
    const startedMs = performance.now();
    let oldest: HeldOrder | undefined;
    try {
      const applied = await inTransaction(db, async (trx) => {
        oldest = undefined;
        // Other channels wait for this turn.
        await send(trx, timeout('lock_timeout', LOCK_WAIT_MS));
        if (!(await lockDue(trx, hold))) return null;
        const held = await readOldestHeld(trx, hold.customer_id);
        oldest = held[0];
        return await applyHeld(trx, held, ids);
      });
      if (applied === null) this.#busyLanes.add(hold.lane);
      else await drainer.applied(applied, startedMs);
      return applied !== null;
    } catch (error) {
      if (lostAgainstOthers(error)) this.#busyLanes.add(hold.lane);
      else if (oldest === undefined) throw error;
      else {
        const { licenseOrderId } = oldest;
        log.debug({ err: error, licenseOrderId }, 'held order failed again; will retry');
        await recordFailure(db, oldest, error);
      }
      return false;
    }
  }
}

/** Finds, for each channel, the hold that has been due longest. Leaves out `busyLanes` and paused channels. */
async function findDue(db: Database, busyLanes: ReadonlySet<number>): Promise<Hold[]> {
  const isDue = sql`next_try <= statement_timestamp() and lane <> all (${[...busyLanes]}::int[])`;
  const { rows } = await sql<Hold>`
    with recursive due as (
      (select customer_id, lane, next_try from order_hold where ${isDue} order by lane, next_try limit 1)
      union all
      select next.* from due cross join lateral (
        select customer_id, lane, next_try from order_hold
        where order_hold.lane > due.lane and ${isDue} order by lane, next_try limit 1
      ) as next
    )
    select distinct on (${sql.raw(channelOfColumn())}) customer_id, lane from due
    where not ${sql.raw(isPaused('lane'))} order by ${sql.raw(channelOfColumn())}, next_try`.execute(db);
  return rows;
}

/**
 * Locks the lane of a hold. Returns whether the hold still exists and is due. If an earlier order of the customer was
 * put back into a chunk, returns false: the next drain puts that order aside first.
 */
async function lockDue(trx: Trx, { customer_id, lane }: Hold): Promise<boolean> {
  // Waits for the lock instead of skipping the lane, because drains of a backlog never leave it free for more than a
  // moment.
  await lockLanes(trx, [lane]);
  const { rows } = await sql`
    select from order_hold
    where customer_id = ${customer_id} and next_try <= statement_timestamp()
      and not ${sql.raw(isPaused('lane'))} and not exists (
      select from lane_chunk
      where lane_chunk.lane = ${lane} and finished_time is null and not is_held and ${customer_id} = any (customer_ids)
        and batch_id <= (select max(held_order.batch_id) from held_order where held_order.customer_id = ${customer_id})
    )`.execute(trx);
  return rows.length > 0;
}

/**
 * Applies held orders of a customer, up to the first that fails, that can't be read, or with which they would touch too
 * much together. Throws the error if that is the oldest.
 */
async function applyHeld(trx: Trx, held: readonly HeldOrder[], ids: LedgerIds): Promise<Applied> {
  const unread = held.findIndex(({ order }) => order === null);
  if (unread === 0) throw new PayloadFault('a held order is not of version 1');
  const readable = unread === -1 ? held : held.slice(0, unread);
  const { outcomes, failed } = await applyUpToFailure(trx, readable.map(withId), ids);
  if (outcomes.length === 0) throw failed!.error;
  const done = readable.slice(0, outcomes.length);
  const applied = await finishOrders(trx, asChunks(done), outcomes, { areHeld: true });
  await releaseHeld(trx, done);
  return applied;
}
