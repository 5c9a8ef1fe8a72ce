import { splitOrderId } from '@lockstep/assets';
import { type ApplicationId, type BatchId, type LicenseOrderId, Refusal } from '@lockstep/contract';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { batchIdOf } from './batch-keys.ts';
import { PERIOD_BITS } from './periods.ts';

/** What is known of an archived batch. */
export interface ArchivedBatch {
  channelCode: string;
  channelOrderId: string;
  /** Since when it is refused. */
  archivedTime: Date;
}

interface ArchivedRow {
  channel_code: string;
  channel_order_id: string;
  archived_time: Date;
}

/**
 * Refuses a call about a batch that was found nowhere, if it is archived: batch_archived. Look for the batch first: it is
 * archived before it leaves the table of batches.
 */
export async function refuseArchivedBatch(
  db: Database,
  applicationId: ApplicationId,
  { channelCode, channelOrderId }: { channelCode: string; channelOrderId: string },
): Promise<void> {
  const finding = sql<ArchivedRow>`
    select archived.channel_code, archived.channel_order_id, archive.archived_time
    from (
      select ${applicationId}::bigint as application_id, ${channelCode}::text as channel_code,
        ${channelOrderId}::text as channel_order_id
    ) as wanted
    cross join lateral (${batchIdOf('wanted')}) as known
    cross join lateral (select * from archived_batch where id = known.batch_id offset 0) as archived
    cross join lateral (${ARCHIVE_OF_BATCH}) as archive`;
  const [row] = (await finding.execute(db)).rows;
  if (row !== undefined) throw new Refusal('batch_archived', channelOrderId, channelCode, dayOf(row.archived_time));
}

/**
 * Refuses a call about an order that was found nowhere, if it is of an archived batch of the application: order_archived.
 * Look for the order first.
 */
export async function refuseArchivedOrder(
  db: Database,
  applicationId: ApplicationId,
  licenseOrderId: LicenseOrderId,
): Promise<void> {
  const { batchId, index } = splitOrderId(licenseOrderId);
  const finding = sql<ArchivedRow>`
    select channel_code, channel_order_id, archive.archived_time from (
      select * from archived_batch where id = ${batchId} offset 0
    ) as archived
    cross join lateral (${ARCHIVE_OF_BATCH}) as archive
    where application_id = ${applicationId} and ${index}::int < succeeded + failed`;
  const [row] = (await finding.execute(db)).rows;
  if (row !== undefined) throw new Refusal('order_archived', licenseOrderId, dayOf(row.archived_time));
}

/** Finds an archived batch, whoever sent it; undefined if there is none. With `index`, only if it has such an order. */
export async function findAnyArchived(
  db: Database,
  { batchId, index = 0 }: { batchId: BatchId; index?: number },
): Promise<ArchivedBatch | undefined> {
  const { rows } = await sql<ArchivedRow>`
    select channel_code, channel_order_id, archive.archived_time from (
      select * from archived_batch where id = ${batchId} offset 0
    ) as archived
    cross join lateral (${ARCHIVE_OF_BATCH}) as archive
    where ${index}::int < succeeded + failed`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  return { channelCode: row.channel_code, channelOrderId: row.channel_order_id, archivedTime: row.archived_time };
}

/** A query of the archive that an archived batch, `archived`, is in, once its batches are refused. */
const ARCHIVE_OF_BATCH = sql`
  select archived_time from period_archive
  where number = (archived.id / ${sql.lit(2 ** PERIOD_BITS)})::integer and archived_time is not null offset 0`;

/** The day of a time, as messages name it. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);
