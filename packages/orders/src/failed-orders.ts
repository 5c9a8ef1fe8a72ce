import { licenseOrderIdOf } from '@lockstep/assets';
import type { BatchId, Order } from '@lockstep/contract';
import { send, type Trx, textArray } from '@lockstep/platform';
import { PAYLOAD_VERSION } from './order-text.ts';
import { type PlacedOrder, writeStoredOrders } from './stored-orders.ts';

/** An order that has failed, and its batch. */
export type FailedInBatch = { batchId: BatchId; placed: PlacedOrder };

/**
 * Keeps what failed orders held, in the form in which they were stored while they were pending (rules 6.7). Call it in
 * the transaction that records their outcomes.
 *
 * A cancel may keep 32 MiB: the orders go to PostgreSQL as one text, a line each, because the driver takes seconds to
 * quote the elements of an array. JSON has no line breaks.
 */
export async function keepFailedOrders(trx: Trx, failed: readonly FailedInBatch[]): Promise<void> {
  if (failed.length === 0) return;
  await send(trx, {
    name: 'keep_failed_orders',
    text: `
      insert into failed_order (license_order_id, payload_version, content, asset_nums)
      select license_order_id, ${PAYLOAD_VERSION}::smallint, content, asset_nums::text[]
      from rows from (string_to_table($1, chr(10)), unnest($2::bigint[], $3::text[]))
        as kept (content, license_order_id, asset_nums)`,
    values: [
      failed.map(({ placed }) => writeStoredOrders([placed])).join('\n'),
      failed.map(({ batchId, placed }) => licenseOrderIdOf(batchId, placed[0])),
      textArray(failed.map(({ placed }) => textArray(listAssetNums(placed[1])))),
    ],
  });
}

function listAssetNums({ assets }: Order): string[] {
  return [...new Set(assets.flatMap(({ assetNos }) => assetNos))];
}
