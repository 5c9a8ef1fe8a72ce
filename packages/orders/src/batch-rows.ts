import { buildRows, type Column, textArray } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import type { SubmittedBatch } from './batch.ts';

const COLUMNS = [
  ...['place', 'application_id', 'channel_code', 'channel_order_id', 'sync_mode', 'digest'],
  ...['sequences', 'customer_ids', 'order_types', 'request_id'],
] as const;

/**
 * Rows of batches for a FROM clause, with their `place` among these: as `name` (place, application_id, …). Sequences,
 * customer_ids and order_types are texts there, which batchValues casts. `more`: other columns of these rows.
 */
export function batchRows(name: string, batches: readonly SubmittedBatch[], more: readonly Column[] = []) {
  const rows = buildRows([
    ['place', 'integer', batches.map((_, place) => place)],
    ['application_id', 'bigint', batches.map((batch) => batch.applicationId)],
    ['channel_code', 'text', batches.map((batch) => batch.channelCode)],
    ['channel_order_id', 'text', batches.map((batch) => batch.channelOrderId)],
    ['sync_mode', 'text', batches.map((batch) => batch.syncMode)],
    ['digest', 'bytea', batches.map((batch) => batch.digest)],
    ['sequences', 'text', batches.map((batch) => `{${batch.sequences.join(',')}}`)],
    ['customer_ids', 'text', batches.map((batch) => textArray(batch.customerIds))],
    ['order_types', 'text', batches.map((batch) => textArray(batch.orderTypes))],
    ['request_id', 'text', batches.map((batch) => batch.requestId)],
    ...more,
  ]);
  const names = [...COLUMNS, ...more.map(([column]) => column)].map((column) => sql.ref(column));
  return sql`${rows} as ${sql.ref(name)} (${sql.join(names)})`;
}

/** The columns of `batch` that batchValues fills from batchRows. */
export const BATCH_COLUMNS = sql`
  application_id, channel_code, channel_order_id, sync_mode, digest, digest_version, sequences, customer_ids, order_types,
  request_id`;

/** What a SELECT from batchRows puts into BATCH_COLUMNS. */
export const batchValues = (digestVersion: number): RawBuilder<unknown> => sql`
  application_id, channel_code, channel_order_id, sync_mode, digest, ${digestVersion}::smallint, sequences::int[],
  customer_ids::text[], order_types::text[], request_id`;
