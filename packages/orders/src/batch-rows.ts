import { arrayText, textArray } from '@lockstep/platform';
import type { SubmittedBatch } from './batch.ts';
import { DIGEST_VERSION } from './order-text.ts';

/** The columns that batchArrays has values for. */
export const BATCH_NAMES = `application_id, channel_code, channel_order_id, sync_mode, digest, sequences, customer_ids,
  order_types, request_id`;

/** For `unnest` in a FROM clause: BATCH_NAMES, from the first nine values of a statement. */
export const BATCH_ARRAYS = `
  (select $1::bigint[]), (select $2::text[]), (select $3::text[]), (select $4::text[]), (select $5::bytea[]),
  (select $6::text[]), (select $7::text[]), (select $8::text[]), (select $9::text[])`;

/** The columns of `batch` that BATCH_VALUES fills. */
export const BATCH_COLUMNS = `${BATCH_NAMES}, digest_version`;

/** For a SELECT from BATCH_ARRAYS: rows hold lists as texts. */
export const BATCH_VALUES = `application_id, channel_code, channel_order_id, sync_mode, digest, sequences::int[],
  customer_ids::text[], order_types::text[], request_id, ${DIGEST_VERSION}::smallint`;

/** The values of BATCH_ARRAYS. */
export const batchArrays = (batches: readonly SubmittedBatch[]) => [
  arrayText(
    'bigint',
    batches.map((batch) => batch.applicationId),
  ),
  textArray(batches.map((batch) => batch.channelCode)),
  textArray(batches.map((batch) => batch.channelOrderId)),
  textArray(batches.map((batch) => batch.syncMode)),
  batches.map((batch) => batch.digest),
  textArray(batches.map((batch) => `{${batch.sequences.join(',')}}`)),
  textArray(batches.map((batch) => textArray(batch.customerIds))),
  textArray(batches.map((batch) => textArray(batch.orderTypes))),
  textArray(batches.map((batch) => batch.requestId)),
];
