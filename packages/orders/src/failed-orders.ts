import { licenseOrderIdOf } from '@lockstep/assets';
import type { BatchId, Order } from '@lockstep/contract';
import { buildRows, named, send, type Trx, textArray } from '@lockstep/platform';
import { sql } from 'kysely';
import { PAYLOAD_VERSION } from './order-text.ts';
import { type PlacedOrder, writeStoredOrders } from './stored-orders.ts';

/** An order that has failed, and its batch. */
export type FailedInBatch = { batchId: BatchId; placed: PlacedOrder };

/**
 * Keeps what failed orders held, in the form in which they were stored while they were pending (rules 6.7). Call it in the
 * transaction that records their outcomes.
 *
 * A cancel may keep 32 MiB: the orders go to PostgreSQL as one text, a line each, because the driver takes seconds to
 * quote the elements of an array. JSON has no line breaks.
 */
export async function keepFailedOrders(trx: Trx, failed: readonly FailedInBatch[]): Promise<void> {
  if (failed.length === 0) return;
  const lines = failed.map(({ placed }) => writeStoredOrders([placed])).join('\n');
  const others = buildRows([
    ['license_order_id', 'bigint', failed.map(({ batchId, placed }) => licenseOrderIdOf(batchId, placed[0]))],
    ['asset_nums', 'text', failed.map(({ placed }) => textArray(listAssetNums(placed[1])))],
  ]);
  const keeping = sql`
    insert into failed_order (license_order_id, payload_version, content, asset_nums)
    select license_order_id, ${PAYLOAD_VERSION}::smallint, content, asset_nums::text[]
    from rows from (string_to_table(${lines}::text, chr(10)), ${others}) as kept (content, license_order_id, asset_nums)`;
  await send(trx, named('keep_failed_orders', keeping));
}

function listAssetNums({ assets }: Order): string[] {
  return [...new Set(assets.flatMap(({ assetNos }) => assetNos))];
}
