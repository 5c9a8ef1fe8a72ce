import type { LedgerIds } from '@lockstep/assets';
import type { CustomerId } from '@lockstep/contract';
import { inTransaction, run, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { applyOrders } from './apply.ts';
import { finishOrders } from './finish-orders.ts';
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
} from './holds.ts';
import { readLocked, tryingLanes } from './lane-locks.ts';
import type { OrderTools } from './one-order.ts';
import { isPaused } from './pending.ts';
import { PayloadFault } from './stored-orders.ts';
import { type Applied, buildApplied } from './work-log.ts';

/** Holds that one look finds. */
const HOLDS_AT_ONCE = 50;
/** Orders of a customer that one transaction applies at most, once the one that was held has worked. */
const ORDERS_AT_ONCE = 100;

interface Hold {
  customer_id: CustomerId;
  lane: number;
}

/** Tries the orders of held customers again when they are due, the oldest of each first (rules 6.2). */
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
        if (!this.#closed) this.#tools.log.warn({ err: error }, 'holds could not be retried; will retry');
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
    for (let goesOn = true; goesOn; ) {
      const { rows } = await sql<Hold>`
        select customer_id, lane from order_hold
        where next_try <= statement_timestamp() and lane <> all (${[...busyLanes]}::int[])
          and not ${sql.raw(isPaused('lane'))}
        order by next_try limit ${HOLDS_AT_ONCE}`.execute(this.#tools.db);
      goesOn = false;
      let hasWorked = false;
      for (const hold of rows) {
        if (this.#closed) return;
        if (busyLanes.has(hold.lane)) continue;
        const became = await this.#retry(hold);
        if (became === 'skipped') busyLanes.add(hold.lane);
        if (became === 'worked') hasWorked = true;
        if (became !== 'failed') goesOn = true;
      }
      // What kept one order from being applied may have been repaired for all.
      if (hasWorked) await makeDue(this.#tools.db);
    }
  }

  /** Applies the orders of a customer while that works. Returns what became of the first: skipped if it was not tried. */
  async #retry(hold: Hold): Promise<'worked' | 'failed' | 'skipped'> {
    const { db, ids, largeTurn, applied } = this.#tools;
    let hasWorked = false;
    for (let atMost = 1; !this.#closed; ) {
      const startedMs = performance.now();
      let oldest: HeldOrder | null = null;
      try {
        const step = await largeTurn.run(() =>
          inTransaction(db, async (trx) => {
            oldest = null;
            const isOurs = await lockDue(trx, hold, hasWorked);
            if (!isOurs) return 'over';
            const held = await readOldestHeld(trx, hold.customer_id, atMost);
            oldest = held[0] ?? null;
            return await applyHeld(trx, held, ids);
          }),
        );
        if (step === 'over') break;
        if (step === 'read') continue;
        hasWorked = true;
        atMost = Math.min(2 * atMost, ORDERS_AT_ONCE);
        applied(step, startedMs);
      } catch (error) {
        if (oldest === null) throw error;
        if (atMost === 1) {
          await this.#fail(oldest, error);
          return hasWorked ? 'worked' : 'failed';
        }
        atMost = 1;
      }
    }
    return hasWorked ? 'worked' : 'skipped';
  }

  async #fail(held: HeldOrder, error: unknown): Promise<void> {
    const { db, log } = this.#tools;
    const { licenseOrderId } = held;
    log.debug({ err: error, licenseOrderId }, 'held order failed again; will retry');
    if (error instanceof PayloadFault) await noteUnreadable(db, held, error);
    else await noteFailure(db, held, error);
  }
}

/**
 * Locks the lane of a hold. Returns whether it has the lock, and the hold is still there and due. It is not while an order that
 * was put back may come before those that are held: the next drain puts that aside with them.
 */
async function lockDue(trx: Trx, { customer_id, lane }: Hold, isDue: boolean): Promise<boolean> {
  if (readLocked(await run(trx, tryingLanes([lane]))).length === 0) return false;
  const { rows } = await sql`
    select from order_hold
    where customer_id = ${customer_id} and (next_try <= statement_timestamp() or ${isDue})
      and not ${sql.raw(isPaused('lane'))} and not exists (
      select from lane_chunk
      where lane_chunk.lane = ${lane} and finished_time is null and not is_held and ${customer_id} = any (customer_ids)
        and batch_id <= (select max(held_order.batch_id) from held_order where held_order.customer_id = ${customer_id})
    )`.execute(trx);
  return rows.length > 0;
}

/** Applies held orders of a customer up to one that cannot be read, or as many as large work takes. If that is the first, it tries to read that. */
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
