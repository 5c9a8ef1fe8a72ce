import type { LedgerIds } from '@lockstep/assets';
import type { CustomerId } from '@lockstep/contract';
import { type Database, inTransaction, type Logger, lostAgainstOthers, send, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { LOCK_WAIT_MS, lockLanes, timeout } from '../lane-rows.ts';
import { channelOfColumn } from '../lanes.ts';
import { PayloadFault } from '../stored-orders.ts';
import { applyOrders } from './apply.ts';
import type { Drainer } from './drainer.ts';
import { finishOrders } from './finish-orders.ts';
import {
  asChunks,
  type HeldOrder,
  makeDue,
  readAgain,
  readOldestHeld,
  recordFailure,
  recordUnreadable,
  releaseHeld,
  withId,
} from './holds.ts';
import { isPaused } from './pending.ts';
import { type Applied, buildApplied } from './work-log.ts';

/** How long one round takes at most. The next sweep starts another, which looks at locked lanes again. */
const RUN_MS = 5_000;
/** How many orders of a customer one transaction applies at most, once the held order has succeeded. */
const ORDERS_AT_ONCE = 100;

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
  #running: Promise<void> | null = null;
  #closed = false;

  constructor(tools: RetryTools) {
    this.#tools = tools;
  }

  /** Starts retrying what is due, without waiting. Does nothing if an earlier round is still running. */
  start(): void {
    this.#running ??= this.#run()
      .catch((error: unknown) => {
        if (!this.#closed) this.#tools.log.warn({ err: error }, 'retries of held orders failed; will retry');
      })
      .finally(() => {
        this.#running = null;
      });
  }

  stop(): void {
    this.#closed = true;
  }

  async close(): Promise<void> {
    this.stop();
    await this.#running;
  }

  async #run(): Promise<void> {
    // Lanes that are locked or otherwise can't be retried in this round. They must not delay holds of other lanes.
    const busyLanes = new Set<number>();
    /** How many orders to take at the next retry of a customer, after one that worked. */
    const sizes = new Map<CustomerId, number>();
    for (const endMs = performance.now() + RUN_MS; performance.now() < endMs; ) {
      const due = await findDue(this.#tools.db, busyLanes);
      if (due.length === 0) return;
      let hasWorked = false;
      for (const hold of due) {
        if (this.#closed) return;
        const became = await this.#retry(hold, sizes);
        if (became === 'skipped') busyLanes.add(hold.lane);
        if (became === 'worked') hasWorked = true;
      }
      // The fault may be gone for all held orders.
      if (hasWorked) await makeDue(this.#tools.db);
    }
  }

  /** Applies the oldest orders of a customer in one transaction. Returns 'skipped' if it did not try any. */
  async #retry(hold: Hold, sizes: Map<CustomerId, number>): Promise<'worked' | 'read' | 'failed' | 'skipped'> {
    const { db, ids, drainer } = this.#tools;
    const atMost = sizes.get(hold.customer_id) ?? 1;
    const startedMs = performance.now();
    let oldest: HeldOrder | null = null;
    try {
      const step = await inTransaction(db, async (trx) => {
        oldest = null;
        // Other channels wait for this turn.
        await send(trx, timeout('lock_timeout', LOCK_WAIT_MS));
        const isOurs = await lockDue(trx, hold);
        if (!isOurs) return 'skipped';
        const held = await readOldestHeld(trx, hold.customer_id, atMost);
        oldest = held[0] ?? null;
        return await applyHeld(trx, held, ids);
      });
      if (step === 'skipped' || step === 'read') return step;
      sizes.set(hold.customer_id, Math.min(2 * atMost, ORDERS_AT_ONCE));
      drainer.applied(step, startedMs);
      return 'worked';
    } catch (error) {
      if (lostAgainstOthers(error)) return 'skipped';
      if (oldest === null) throw error;
      sizes.delete(hold.customer_id);
      if (atMost === 1) await this.#fail(oldest, error);
      return 'failed';
    }
  }

  async #fail(held: HeldOrder, error: unknown): Promise<void> {
    const { db, log } = this.#tools;
    const { licenseOrderId } = held;
    log.debug({ err: error, licenseOrderId }, 'held order failed again; will retry');
    if (error instanceof PayloadFault) await recordUnreadable(db, held, error);
    else await recordFailure(db, held, error);
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
 * Applies held orders of a customer, up to the first that can't be read or with which they would touch too much
 * together. If the first order can't be read, tries to read its chunk again.
 */
async function applyHeld(trx: Trx, held: readonly HeldOrder[], ids: LedgerIds): Promise<Applied | 'read'> {
  const [oldest] = held;
  if (oldest?.isInChunk) {
    await readAgain(trx, oldest);
    return 'read';
  }
  const unread = held.findIndex(({ order }) => order === null);
  if (unread === 0) throw new PayloadFault('a held order is not of version 1');
  const readable = unread === -1 ? held : held.slice(0, unread);
  const outcomes = await applyOrders(trx, readable.map(withId), ids);
  const done = readable.slice(0, outcomes.length);
  const finished = await finishOrders(trx, asChunks(done), outcomes, { areHeld: true });
  await releaseHeld(trx, done);
  return buildApplied(outcomes, finished);
}
