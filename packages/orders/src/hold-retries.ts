import type { LedgerIds } from '@lockstep/assets';
import type { CustomerId } from '@lockstep/contract';
import { type Database, inTransaction, type Logger, run, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { applyOrders } from './apply.ts';
import { type Applied, buildApplied } from './drain.ts';
import { finishOrders } from './finish-orders.ts';
import {
  asChunks,
  type HeldOrder,
  noteFailure,
  noteUnreadable,
  readAgain,
  readOldestHeld,
  releaseHeld,
  withId,
} from './holds.ts';
import { readLocked, tryingLanes } from './lane-locks.ts';
import { PayloadFault } from './stored-orders.ts';

/** Holds that one look finds. */
const HOLDS_AT_ONCE = 50;
/** Orders of a customer that one transaction applies, once the one that was held has worked. */
const ORDERS_AT_ONCE = 100;
/** How long all holds are left to their pauses after they were made due at once. */
const WAKE_PAUSE_MS = 5_000;

interface Hold {
  customer_id: CustomerId;
  lane: number;
}

/** Tries the orders of held customers again when they are due, the oldest of each first (rules 6.2). */
export class HoldRetries {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #ids: LedgerIds;
  readonly #applied: (applied: Applied, startedMs: number) => void;
  #wokenMs = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | null = null;
  #closed = false;

  /** `applied`: told what each transaction has applied. */
  constructor(options: {
    db: Database;
    log: Logger;
    ids: LedgerIds;
    applied: (applied: Applied, startedMs: number) => void;
  }) {
    this.#db = options.db;
    this.#log = options.log;
    this.#ids = options.ids;
    this.#applied = options.applied;
  }

  /** Tries what is due, without making the caller wait; nothing, while an earlier call still does. */
  start(): void {
    this.#running ??= this.#run()
      .catch((error: unknown) => this.#log.warn({ err: error }, 'holds could not be retried; will retry'))
      .finally(() => {
        this.#running = null;
      });
  }

  /** Tries no further one, and waits for the one that runs. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    // Lanes in which this run can do nothing: they must not keep holds of other lanes waiting.
    const busyLanes = new Set<number>();
    for (let goesOn = true; goesOn; ) {
      const { rows } = await sql<Hold>`
        select customer_id, lane from order_hold
        where next_try <= statement_timestamp() and lane <> all (${[...busyLanes]}::smallint[])
        order by next_try limit ${HOLDS_AT_ONCE}`.execute(this.#db);
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
      if (hasWorked) await this.#wake();
    }
  }

  /** Makes all holds due: what kept one order from being applied may have been repaired for all. */
  async #wake(): Promise<void> {
    const nowMs = performance.now();
    if (nowMs - this.#wokenMs < WAKE_PAUSE_MS) return;
    this.#wokenMs = nowMs;
    await sql`
      update order_hold set next_try = statement_timestamp() where next_try > statement_timestamp()`.execute(this.#db);
  }

  /** Applies the orders of a customer while that works. Returns what became of the first: skipped if it was not tried. */
  async #retry(hold: Hold): Promise<'worked' | 'failed' | 'skipped'> {
    let hasWorked = false;
    for (let atMost = 1; !this.#closed; ) {
      const startedMs = performance.now();
      let oldest: HeldOrder | null = null;
      try {
        const step = await inTransaction(this.#db, async (trx) => {
          oldest = null;
          const isOurs = await lockDue(trx, hold, hasWorked);
          if (!isOurs) return 'over';
          const held = await readOldestHeld(trx, hold.customer_id, atMost);
          oldest = held[0] ?? null;
          return await applyHeld(trx, held, this.#ids);
        });
        if (step === 'over') break;
        if (step === 'read') continue;
        hasWorked = true;
        atMost = ORDERS_AT_ONCE;
        this.#applied(step, startedMs);
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
    const { licenseOrderId } = held;
    this.#log.debug({ err: error, licenseOrderId }, 'held order failed again; will retry');
    if (error instanceof PayloadFault) await noteUnreadable(this.#db, held, error);
    else await noteFailure(this.#db, held, error);
  }
}

/**
 * Locks the lane of a hold. Returns whether it has the lock, and the hold is still there and due. It is not while an order that
 * was put back may come before those that are held: the next drain puts that aside with them.
 */
async function lockDue(trx: Trx, { customer_id, lane }: Hold, isDue: boolean): Promise<boolean> {
  if (readLocked(await run(trx, tryingLanes([lane], 1))).length === 0) return false;
  const { rows } = await sql`
    select from order_hold
    where customer_id = ${customer_id} and (next_try <= statement_timestamp() or ${isDue}) and not exists (
      select from lane_chunk join batch on batch.id = batch_id
      where lane_chunk.lane = ${lane} and finished_time is null and not is_held and ${customer_id} = any (customer_ids)
        and batch_id <= (select max(held_order.batch_id) from held_order where held_order.customer_id = ${customer_id})
    )`.execute(trx);
  return rows.length > 0;
}

/** Applies held orders of a customer up to one that cannot be read. If that is the first, it tries to read that. */
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
  const finished = await finishOrders(trx, asChunks(readable), outcomes, { areHeld: true });
  await releaseHeld(trx, readable);
  return buildApplied(outcomes, finished);
}
