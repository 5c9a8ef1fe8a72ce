import { splitOrderId } from '@lockstep/assets';
import type { BatchId, LicenseOrderId, OrderResult } from '@lockstep/contract';
import type { Pause, TracedOrder } from '@lockstep/contract/console';
import { readOwners } from '@lockstep/customers/operator';
import { listResends, type Operator, readPauseReasons } from '@lockstep/operators';
import { pickVisible, type Resent, readHolds, readPaused, readResent } from '@lockstep/orders/operator';
import type { Database } from '@lockstep/platform';

/** Adds to orders the names of their customers, why held ones wait, and as which orders failed ones were resent. */
export async function traceOrders<Order extends OrderResult>(
  db: Database,
  operator: Operator,
  orders: readonly Order[],
) {
  const owners = await readOwners(
    db,
    operator,
    orders.map(({ customerId }) => customerId),
  );
  const held = orders.filter(({ heldSince }) => heldSince !== null);
  const holds =
    held.length === 0 ? undefined : await readHolds(db, [...new Set(held.map(({ customerId }) => customerId))]);
  const failedIds = orders.filter(({ state }) => state === 'failed').map(({ licenseOrderId }) => licenseOrderId);
  const resent = await findResent(db, [...new Set(failedIds.map((id) => splitOrderId(id).batchId))], failedIds);
  const byId = new Map(resent.map(({ licenseOrderId, resentAs }) => [licenseOrderId, resentAs]));
  return orders.map((order): Order & TracedOrder => ({
    ...order,
    customerName: owners.get(order.customerId)?.customerName ?? null,
    hold: (order.heldSince !== null && holds?.get(order.customerId)) || null,
    resentAs: byId.get(order.licenseOrderId) ?? null,
  }));
}

/** Returns the failed orders of batches that operators have resent: all, or those of `orderIds`. */
export async function findResent(
  db: Database,
  batchIds: readonly BatchId[],
  orderIds: readonly LicenseOrderId[] | null = null,
): Promise<Resent[]> {
  const made = batchIds.length === 0 ? [] : await listResends(db, batchIds);
  return made.length === 0 ? [] : await readResent(db, made, orderIds);
}

/** Adds to batches how many of their failed orders were resent. */
export async function countResent<Batch extends { batchId: string; failed: number }>(
  db: Database,
  batches: readonly Batch[],
) {
  const failed = batches.filter((batch) => batch.failed > 0).map(({ batchId }) => batchId as BatchId);
  const resent = await findResent(db, failed);
  const counts = Map.groupBy(resent, ({ licenseOrderId }) => splitOrderId(licenseOrderId).batchId as string);
  return batches.map((batch) => ({ ...batch, resent: counts.get(batch.batchId)?.length ?? 0 }));
}

/** Returns those of these channels that are paused and that an operator sees: by whom, since when and why. */
export async function readPauses(
  db: Database,
  operator: Operator,
  channels: Parameters<typeof readPaused>[1],
): Promise<Pause[]> {
  const paused = pickVisible(await readPaused(db, channels), operator);
  if (paused.length === 0) return [];
  const reasons = await readPauseReasons(
    db,
    paused.map(({ channelCode }) => channelCode),
  );
  return paused.map((pause) => ({ ...pause, ...(reasons.get(pause.channelCode) ?? { pausedBy: null, reason: null }) }));
}
