import type { BatchId, LicenseOrderId } from '@lockstep/contract';
import { run, type Statement, type Trx } from '@lockstep/platform';

/**
 * licenseOrderId = batch id * ORDERS_PER_BATCH + index in orderList, so each can be computed from the other (rules
 * 6.1).
 */
export const ORDERS_PER_BATCH = 8_192;
const STRIDE = BigInt(ORDERS_PER_BATCH);

/** Higher than any id. */
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

/** How many rows one draw from the sequence ledger_id covers; the sequence's increment in the migration. */
const IDS_PER_BLOCK = 1_000;

const idBlocks = (blocks: number): Statement<{ id: string }> => ({
  name: 'draw_ledger_ids',
  text: "select nextval('ledger_id') as id from generate_series(1, $1::int)",
  values: [blocks],
});

/**
 * Assigns ids to new assets, merchandise and products, in blocks that no other process has. A crash leaves the rest of
 * a block as a gap.
 */
export class LedgerIds {
  #spare: string[] = [];

  /** Returns `count` unique ids. They stay taken even if the transaction rolls back. */
  async take(trx: Trx, count: number): Promise<string[]> {
    while (this.#spare.length < count) {
      const blocks = await run(trx, idBlocks(Math.ceil((count - this.#spare.length) / IDS_PER_BLOCK)));
      for (const { id } of blocks) {
        for (let place = 0n; place < IDS_PER_BLOCK; place++) this.#spare.push(String(BigInt(id) + place));
      }
    }
    return this.#spare.splice(0, count);
  }
}
