import { licenseOrderIdOf, ORDERS_PER_BATCH } from '@lockstep/assets';
import type { BatchId } from '@lockstep/contract';
import { HIDDEN_PASSWORD } from '@lockstep/contract/console';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { markPasswords } from './operator-passwords.ts';
import { cutOrderText } from './stored-orders.ts';

/** What the failed orders of a batch held, as far as it can be edited. */
export type FailedContent =
  | { kind: 'none' | 'expired' }
  | { kind: 'too_large'; bytes: number }
  | { kind: 'kept'; orders: unknown[] };

/**
 * Reads what the failed orders of a batch held, in orderList order, if it is no more than `maxBytes`. `passwords`:
 * whether to leave those of licences in it; they must not reach an operator.
 */
export async function readFailedContent(
  db: Database,
  batchId: BatchId,
  { maxBytes, passwords }: { maxBytes: number; passwords: 'hidden' | 'kept' },
): Promise<FailedContent> {
  const ids = sql`between ${licenseOrderIdOf(batchId, 0)} and ${licenseOrderIdOf(batchId, ORDERS_PER_BATCH - 1)}`;
  const { rows: sizes } = await sql<{ failed: number; kept: number; bytes: number }>`
    select count(*)::int as failed, count(license_order_id)::int as kept,
      coalesce(sum(octet_length(content)), 0)::int as bytes
    from license_order left join failed_order on license_order_id = license_order.id
    where id ${ids} and cause is not null`.execute(db);
  const { failed, kept, bytes } = sizes[0]!;
  if (failed === 0) return { kind: 'none' };
  if (kept < failed) return { kind: 'expired' };
  if (bytes > maxBytes) return { kind: 'too_large', bytes };
  const { rows } = await sql<{ payload_version: number; content: string }>`
    select payload_version, content from failed_order where license_order_id ${ids} order by license_order_id`.execute(
    db,
  );
  const orders = rows.map(({ payload_version, content }) => {
    const text = cutOrderText(payload_version, content);
    return JSON.parse(passwords === 'kept' ? text : markPasswords(text, HIDDEN_PASSWORD)) as unknown;
  });
  return { kind: 'kept', orders };
}
