import { type LedgerIds, splitOrderId } from '@lockstep/assets';
import type { BatchId, CustomerId } from '@lockstep/contract';
import { type Database, inTransaction, type Logger, run, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { lockLanes, readLocked, tryingLanes } from '../lane-locks.ts';
import type { OrderWithId } from '../planning/outcome.ts';
import { applyOrders } from './apply.ts';
import { finishOrders } from './finish-orders.ts';
import { findHeld, holdUnreadable, insertHolds } from './holds.ts';
import {
  CHUNK_COLUMNS,
  type Chunk,
  type ChunkRow,
  inAcceptanceOrder,
  isPaused,
  readPendingInBatch,
  readRows,
  SENDERS_CHANNELS,
} from './pending.ts';
import { type Applied, buildApplied } from './work-log.ts';

const CHUNKS_AT_ONCE = 10;

export interface OrderTools {
  db: Database;
  log: Logger;
  ids: LedgerIds;
  applied: (applied: Applied, startedMs: number) => void;
}

/** An order that failed although it was applied alone. */
export interface Failure {
  accepted: OrderWithId;
  chunk: Chunk;
  error: unknown;
}

/** The result of trying one order of a lane; null if the lane has no order to try. */
export type Tried = { customerId: CustomerId } & (
  | { applied: Applied; failure: null }
  | { applied: null; failure: Failure }
);

/**
 * Tries the oldest pending order of a lane in its own transaction. Leaves out held customers and those in `skip`.
 * Returns 'locked' if the lane is locked elsewhere. Throws if it can't find
 * an order.
 */
export async function tryOneOrder(
  db: Database,
  { lane, skip }: { lane: number; skip: ReadonlySet<CustomerId> },
  ids: LedgerIds,
): Promise<Tried | 'locked' | null> {
  let found: Omit<Failure, 'error'> | null = null;
  try {
    const applied = await inTransaction(db, async (trx) => {
      found = null;
      if (readLocked(await run(trx, tryingLanes([lane]))).length === 0) return 'locked';
      found = await findOldest(trx, lane, skip);
      if (found === null) return null;
      const outcomes = await applyOrders(trx, [found.accepted], ids);
      return buildApplied(outcomes, await finishOrders(trx, [found.chunk], outcomes));
    });
    return applied === null || applied === 'locked'
      ? applied
      : { customerId: customerOf(found!), applied, failure: null };
  } catch (error) {
    if (found === null) throw error;
    return { customerId: customerOf(found), applied: null, failure: { ...(found as Omit<Failure, 'error'>), error } };
  }
}

const customerOf = ({ accepted }: Omit<Failure, 'error'>) => accepted.order.customerId;

async function findOldest(
  trx: Trx,
  lane: number,
  skip: ReadonlySet<CustomerId>,
): Promise<Omit<Failure, 'error'> | null> {
  for (let after = '0' as BatchId; ; ) {
    // A chunk lists its customers, so chunks without a customer to try are not read.
    const { rows } = await sql<ChunkRow>`
      select ${sql.raw(CHUNK_COLUMNS)}, ${sql.raw(SENDERS_CHANNELS)} from lane_chunk
      where lane = ${lane} and finished_time is null and not is_held and batch_id > ${after}
        and not ${sql.raw(isPaused('lane'))} and exists (
        select from unnest(customer_ids) as customer_id where customer_id <> all (${[...skip]}::text[])
      )
      order by batch_id limit ${CHUNKS_AT_ONCE}`.execute(trx);
    const { chunks, unreadable } = readRows(rows);
    for (const chunk of unreadable) await holdUnreadable(trx, chunk);
    const orders = inAcceptanceOrder(chunks);
    const heldIds = await findHeld(
      trx,
      orders.map(({ order }) => order.customerId),
    );
    const accepted = orders.find(({ order: { customerId } }) => !skip.has(customerId) && !heldIds.has(customerId));
    if (accepted !== undefined) {
      const { batchId } = splitOrderId(accepted.licenseOrderId);
      return { accepted, chunk: chunks.find((chunk) => chunk.batchId === batchId)! };
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < CHUNKS_AT_ONCE) return null;
    after = last.batch_id;
  }
}

/** Holds the customer of an order that failed alone, if the order is still pending. Returns whether it is. */
export function holdCustomer(db: Database, { accepted, chunk, error }: Failure): Promise<boolean> {
  const { customerId } = accepted.order;
  return inTransaction(db, async (trx) => {
    await lockLanes(trx, [chunk.lane]);
    const { chunks } = await readPendingInBatch(trx, chunk.batchId, [chunk.lane]);
    const isPending = inAcceptanceOrder(chunks).some(
      ({ licenseOrderId }) => licenseOrderId === accepted.licenseOrderId,
    );
    if (!isPending) return false;
    await insertHolds(trx, chunk.lane, [{ customerId, licenseOrderId: accepted.licenseOrderId }], error);
    await finishOrders(trx, chunks, [], { heldIds: new Set([customerId]) });
    return true;
  });
}
