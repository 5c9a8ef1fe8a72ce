import { createHash } from 'node:crypto';
import { licenseOrderIdOf } from '@lockstep/assets';
import { type AcceptedOrder, type ApplicationId, type BatchId, Refusal, type SyncMode } from '@lockstep/contract';
import { bigintArray, type Database, type Statement, textArray } from '@lockstep/platform';
import { sql } from 'kysely';
import { DIGEST_VERSION } from '../stored-orders.ts';
import type { PreparedBatch } from './prepare.ts';

export interface SubmittedBatch extends PreparedBatch {
  requestId: string;
  /** The trace context that is stored with it (rules 1.4); null if there is none. */
  traceparent: string | null;
}

export function weighBatch({ chunks }: PreparedBatch): number {
  return chunks.reduce((sum, { weight }) => sum + weight, 0);
}

/** Returns the key of a batch: an application submits each channelOrderId of a channel once (rules 6.1). */
export function keyOf({ applicationId, channelCode, channelOrderId }: PreparedBatch): string {
  return JSON.stringify([applicationId, channelCode, channelOrderId]);
}

/**
 * Returns the number of the advisory lock on the key of a batch. A transaction stores a batch only under this lock,
 * which it tries and never waits for: so nothing waits for the unique index, and no call of one application delays
 * another's in a shared statement. A hash of sha256, because no one can choose a key that locks another application's.
 */
export function keyLockOf(batch: PreparedBatch): string {
  return String(createHash('sha256').update(keyOf(batch)).digest().readBigInt64BE());
}

/** Returns the orders of a batch with their final ids, in the order of orderList, for O5's answer. */
export function listAcceptedOrders(batch: PreparedBatch, batchId: BatchId): AcceptedOrder[] {
  return batch.sequences.map((sequence, index) => ({
    sequence,
    licenseOrderId: licenseOrderIdOf(batchId, index),
    customerId: batch.customerIds[index]!,
  }));
}

/** Returns a batch of an application. Throws a Refusal (batch_not_found), also for batches of other applications. */
export async function findBatch(
  db: Database,
  applicationId: ApplicationId,
  { channelCode, channelOrderId }: { channelCode: string; channelOrderId: string },
) {
  const { rows } = await sql<{ id: BatchId; syncMode: SyncMode; total: number }>`
    select id, sync_mode as "syncMode", cardinality(sequences) as total from batch
    where application_id = ${applicationId} and channel_code = ${channelCode} and channel_order_id = ${channelOrderId}`.execute(
    db,
  );
  if (rows[0] === undefined) throw new Refusal('batch_not_found', channelOrderId, channelCode);
  return rows[0];
}

export interface EarlierBatch {
  id: BatchId;
  digest: Buffer;
  digest_version: number;
}

export function findingEarlier(batches: readonly PreparedBatch[]): Statement<EarlierRow> {
  return {
    name: 'find_earlier',
    text: `
      select place::int - 1 as place, id, digest, digest_version
      from unnest((select $1::bigint[]), (select $2::text[]), (select $3::text[]))
        with ordinality as wanted (application_id, channel_code, channel_order_id, place)
      cross join lateral ${BATCH_WANTED} as stored`,
    values: [
      batches.map((batch) => batch.applicationId),
      batches.map((batch) => batch.channelCode),
      batches.map((batch) => batch.channelOrderId),
    ],
  };
}

/**
 * For a FROM clause: the batch with the key in a row called `wanted`. The order forces the index of the whole key; a
 * plan made for few batches would scan all batches of a channel.
 */
export const BATCH_WANTED = `(
  select * from batch
  where batch.application_id = wanted.application_id and batch.channel_code = wanted.channel_code
    and batch.channel_order_id between wanted.channel_order_id and wanted.channel_order_id
  order by batch.channel_order_id limit 1
)`;

interface EarlierRow extends EarlierBatch {
  place: number;
}

export function readEarlier(
  rows: readonly EarlierRow[],
  batches: readonly PreparedBatch[],
): (EarlierBatch | undefined)[] {
  const earlier: (EarlierBatch | undefined)[] = batches.map(() => undefined);
  for (const { place, ...stored } of rows) earlier[place] = stored;
  return earlier;
}

/**
 * Returns the id of the earlier batch if both have the same content.
 *
 * Throws a Refusal (channel_order_id_conflict) if they differ. Throws an Error if a newer release stored the digest in
 * a form that this release can't compare.
 */
export function sameBatchId(batch: PreparedBatch, earlier: EarlierBatch): BatchId {
  if (earlier.digest_version !== DIGEST_VERSION) {
    throw new Error(`batch ${earlier.id} has digest version ${earlier.digest_version}, expected ${DIGEST_VERSION}`);
  }
  if (!earlier.digest.equals(batch.digest)) throw new Refusal('channel_order_id_conflict', batch.channelOrderId);
  return earlier.id;
}

export const BATCH_NAMES = `application_id, channel_code, channel_order_id, sync_mode, digest, sequences, customer_ids,
  order_types, request_id`;

/** For `unnest` in a FROM clause: BATCH_NAMES, from the first nine values of a statement. */
export const BATCH_ARRAYS = `
  (select $1::bigint[]), (select $2::text[]), (select $3::text[]), (select $4::text[]), (select $5::bytea[]),
  (select $6::text[]), (select $7::text[]), (select $8::text[]), (select $9::text[])`;

export const BATCH_COLUMNS = `${BATCH_NAMES}, digest_version`;

/** For a SELECT from BATCH_ARRAYS, whose rows hold lists as text. */
export const BATCH_VALUES = `application_id, channel_code, channel_order_id, sync_mode, digest, sequences::int[],
  customer_ids::text[], order_types::text[], request_id, ${DIGEST_VERSION}::smallint`;

/** SQL for a CTE after one called `stored`, which holds rows of new batches: stores the events of completed ones. */
export const RECORDING_STORED = `
  insert into unnumbered_event (application_id, batch_id, type, happened_time, succeeded, failed, cancelled)
  select application_id, id, 'batch.completed', completed_time, succeeded, failed, 0 from stored
  where completed_time is not null order by id`;

/** Whether a statement that stores batches needs storingTraces. */
export const isTraced = (batches: readonly SubmittedBatch[]) => batches.some(({ traceparent }) => traceparent !== null);

/** SQL for a CTE after the one with new batches: stores the trace contexts of those that have one. */
export const storingTraces = (from: string) => `, traced as (
    insert into batch_trace (batch_id, traceparent) select id, traceparent from ${from} where traceparent is not null
  )`;

export const batchArrays = (batches: readonly SubmittedBatch[]) => [
  bigintArray(batches.map((batch) => batch.applicationId)),
  textArray(batches.map((batch) => batch.channelCode)),
  textArray(batches.map((batch) => batch.channelOrderId)),
  textArray(batches.map((batch) => batch.syncMode)),
  batches.map((batch) => batch.digest),
  textArray(batches.map((batch) => `{${batch.sequences.join(',')}}`)),
  textArray(batches.map((batch) => textArray(batch.customerIds))),
  textArray(batches.map((batch) => textArray(batch.orderTypes))),
  textArray(batches.map((batch) => batch.requestId)),
];
