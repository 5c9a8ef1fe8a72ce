/** licenseOrderId = batch id * stride + index in orderList, so that either leads to the other (decisions 6.1). */
const STRIDE = 8_192n;

/** The id of the order at `index` of a batch. */
export function licenseOrderIdOf(batchId: string, index: number): string {
  return String(BigInt(batchId) * STRIDE + BigInt(index));
}

/** The batch of an order and its place there. */
export function batchOf(licenseOrderId: string): { batchId: string; index: number } {
  const id = BigInt(licenseOrderId);
  return { batchId: String(id / STRIDE), index: Number(id % STRIDE) };
}
