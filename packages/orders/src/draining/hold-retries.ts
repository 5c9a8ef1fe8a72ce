import type { LedgerIds } from '@lockstep/assets';
import type { CustomerId } from '@lockstep/contract';
import { type Database, inTransaction, lostAgainstOthers, send, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { applyOrders } from '../applying/apply.ts';
import { finishOrders } from '../applying/finish-orders.ts';
import {
  asChunks,
  type HeldOrder,
  makeDue,
  noteFailure,
  noteUnreadable,
  readAgain,
  readOldestHeld,
  releaseHeld,
  withId,
} from '../applying/holds.ts';
import type { OrderTools } from '../applying/one-order.ts';
import { isPaused } from '../applying/pending.ts';
import { type Applied, buildApplied } from '../applying/work-log.ts';
import { LOCK_WAIT_MS, lockLanes, settingTimeout } from '../lane-locks.ts';
import { channelOfColumn } from '../lanes.ts';
import { PayloadFault } from '../stored-orders.ts';

/**
 * How long one run takes at most. The next one begins with the next sweep, and looks again at lanes that were locked.
 */
const RUN_MS = 5_000;
/** Orders of a customer that one transaction applies at most, once the one that was held has worked. */
const ORDERS_AT_ONCE = 100;

interface Hold {
  customer_id: CustomerId;
  lane: number;
}

/**
 * Tries the orders of held customers again when they are due, the oldest of each first (rules 6.2). Channels take
 * turns: one transaction of each.
 */
export class HoldRetries {
  readonly #tools: OrderTools;
  #running: Promise<void> | null = null;
  #closed = false;

  constructor(tools: OrderTools) {
    this.#tools = tools;
  }

  /** Tries what is due, without making the caller wait; nothing, while an earlier call still does. */
  start(): void {
    this.#running ??= this.#run()
      .catch((error: unknown) => {
        if (!this.#closed) this.#tools.log.warn({ err: error }, 'retries of held orders failed; will retry');
      })
      .finally(() => {
        this.#running = null;
      });
  }

  /** Tries no further one. */
  stop(): void {
    this.#closed = true;
  }

  /** Stops, and waits for the one that runs. */
  async close(): Promise<void> {
    this.stop();
    await this.#running;
  }

  async #run(): Promise<void> {
    // Lanes in which this run can do nothing: they must not keep holds of other lanes waiting.
    const busyLanes = new Set<number>();
    /** How many orders the next try of a customer takes, where the last one has worked. */
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
      // What kept one order from being applied may have been repaired for all.
      if (hasWorked) await makeDue(this.#tools.db);
    }
  }

  /**
   * Applies the oldest orders of a customer in one transaction. Returns what became of them: skipped if they were not
   * tried.
   */
  async #retry(hold: Hold, sizes: Map<CustomerId, number>): Promise<'worked' | 'read' | 'failed' | 'skipped'> {
    const { db, ids, largeTurn, applied } = this.#tools;
    const atMost = sizes.get(hold.customer_id) ?? 1;
    const startedMs = performance.now();
    let oldest: HeldOrder | null = null;
    try {
      const step = await largeTurn.run(() =>
        inTransaction(db, async (trx) => {
          oldest = null;
          // Other channels and large drains wait for its turn.
          await send(trx, settingTimeout('lock_timeout', LOCK_WAIT_MS));
          const isOurs = await lockDue(trx, hold);
          if (!isOurs) return 'skipped';
          const held = await readOldestHeld(trx, hold.customer_id, atMost);
          oldest = held[0] ?? null;
          return await applyHeld(trx, held, ids);
        }),
      );
      if (step === 'skipped' || step === 'read') return step;
      sizes.set(hold.customer_id, Math.min(2 * atMost, ORDERS_AT_ONCE));
      applied(step, startedMs);
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
    if (error instanceof PayloadFault) await noteUnreadable(db, held, error);
    else await noteFailure(db, held, error);
  }
}

/** Finds the hold of each channel that is due for longest, but for some lanes and for paused channels. */
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
 * Locks the lane of a hold. Returns whether it has the lock, and the hold is still there and due. It is not while an
 * order that was put back may come before those that are held: the next drain puts that aside with them.
 */
async function lockDue(trx: Trx, { customer_id, lane }: Hold): Promise<boolean> {
  // It waits in line: the drains of a backlog leave no lane free for longer than a moment.
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
 * Applies held orders of a customer up to one that cannot be read, or as many as large work takes. If that is the
 * first, it tries to read that.
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
  const outcomes = await applyOrders(trx, readable.map(withId), ids, { isLarge: true });
  const done = readable.slice(0, outcomes.length);
  const finished = await finishOrders(trx, asChunks(done), outcomes, { areHeld: true });
  await releaseHeld(trx, done);
  return buildApplied(outcomes, finished);
}
