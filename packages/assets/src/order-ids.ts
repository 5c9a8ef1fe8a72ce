import type { BatchId, LicenseOrderId } from '@lockstep/contract';

/**
 * licenseOrderId = batch id * ORDERS_PER_BATCH + index in orderList, so each can be computed from the other (rules
 * 6.1).
 */
export const ORDERS_PER_BATCH = 8_192;
const STRIDE = BigInt(ORDERS_PER_BATCH);

/** Higher than the id of any order. */
export const ABOVE_ALL = '9223372036854775807' as LicenseOrderId;

/** Returns the id of the order at `index` of a batch. */
export function licenseOrderIdOf(batchId: BatchId, index: number): LicenseOrderId {
  return String(BigInt(batchId) * STRIDE + BigInt(index)) as LicenseOrderId;
}

/** Returns the batch of an order and its index there. */
export function splitOrderId(licenseOrderId: LicenseOrderId): { batchId: BatchId; index: number } {
  const id = BigInt(licenseOrderId);
  return { batchId: String(id / STRIDE) as BatchId, index: Number(id % STRIDE) };
}
