import type { BatchId, LicenseOrderId } from '@lockstep/contract';

/** licenseOrderId = batch id * stride + index in orderList, so that either leads to the other (rules 6.1). */
export const ORDERS_PER_BATCH = 8_192;
const STRIDE = BigInt(ORDERS_PER_BATCH);

/** Above the id of every order. */
export const ABOVE_ALL = '9223372036854775807' as LicenseOrderId;

/** The id of the order at `index` of a batch. */
export function licenseOrderIdOf(batchId: BatchId, index: number): LicenseOrderId {
  return String(BigInt(batchId) * STRIDE + BigInt(index)) as LicenseOrderId;
}

/** The batch of an order and its place there. */
export function splitOrderId(licenseOrderId: LicenseOrderId): { batchId: BatchId; index: number } {
  const id = BigInt(licenseOrderId);
  return { batchId: String(id / STRIDE) as BatchId, index: Number(id % STRIDE) };
}
