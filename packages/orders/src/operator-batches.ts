import type { ApplicationId, BatchId } from '@lockstep/contract';
import type { ConsoleBatch, ConsoleBatchesQuery, ConsoleBatchPage } from '@lockstep/contract/console';
import { type Database, inSnapshot, type Trx } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { buildSummary, SO_FAR, SUMMARY_COLUMNS, type SummaryRow } from './batch-summary.ts';
import { matches } from './list-batches.ts';
import { ListCursor } from './list-cursor.ts';
import { namedExactly, walkAll } from './operator-walk.ts';

interface Row extends SummaryRow {
  application_id: ApplicationId;
  accepted_text: string;
}

/** Each row of the answer also says how far the walk came; where it found nothing, there is one row that says only that. */
type PageRow = (Row | { id: null }) & { floor_time: string | null; floor_id: BatchId | null };

/**
 * Lists batches of all applications, newest first, for operators. Each application's are walked in its own index, and the
 * next page goes on where this one stopped looking.
 *
 * Throws a Refusal: field_invalid, for a cursor of another list or filter.
 */
export async function listAllBatches(db: Database, query: ConsoleBatchesQuery): Promise<ConsoleBatchPage> {
  const { limit, cursor, ...filters } = query;
  const cursors = new ListCursor('allBatches', null, filters, cursor);
  const after = cursors.after && { acceptedTime: cursors.after[0]!, batchId: cursors.after[1] as BatchId };
  return await inSnapshot(db, async (trx) => {
    const senders = await readSenders(trx, query.appKey);
    const { rows } = await sql<PageRow>`
      with ${walkAll({ applicationIds: [...senders.keys()], query, after })}
      select floor.accepted_time::text as floor_time, floor.id as floor_id, page.* from floor left join (
        select ${SUMMARY_COLUMNS}, batch.application_id, batch.accepted_time::text as accepted_text
        from (
          select walked.id from walked, floor
          where floor.id is null or (walked.accepted_time, walked.id) >= (floor.accepted_time, floor.id)
          order by walked.accepted_time desc, walked.id desc
        ) as walked
        cross join lateral (select * from batch where batch.id = walked.id offset 0) as batch ${SO_FAR}
        where ${matches(query)} ${isAsked(query)}
        order by batch.accepted_time desc, batch.id desc limit ${limit + 1}
      ) as page on true
      order by page.accepted_time desc, page.id desc`.execute(trx);
    const found = rows.filter((row): row is Row & PageRow => row.id !== null);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const [floor] = rows;
    const stop =
      found.length > limit && last !== undefined
        ? [last.accepted_text, last.id]
        : floor?.floor_id != null
          ? [floor.floor_time!, floor.floor_id]
          : null;
    return { batches: page.map((row) => buildBatch(row, senders)), nextCursor: cursors.write(stop) };
  });
}

/** More conditions on `batch`, or none: its channel and its channelOrderId, where no index has chosen by them. */
function isAsked(query: ConsoleBatchesQuery): RawBuilder<unknown> {
  const { channelCode, channelOrderId } = query;
  const ofChannel = channelCode === undefined ? sql`` : sql`and batch.channel_code = ${channelCode}`;
  if (channelOrderId === undefined || namedExactly(query) !== null) return ofChannel;
  return sql`${ofChannel} and starts_with(batch.channel_order_id, ${channelOrderId.slice(0, -1)})`;
}

type Senders = ReadonlyMap<ApplicationId, { appKey: string; applicationName: string }>;

async function readSenders(trx: Trx, appKey: string | undefined): Promise<Senders> {
  const { rows } = await sql<{ id: ApplicationId; app_key: string; name: string }>`
    select id, app_key, name from application ${appKey === undefined ? sql`` : sql`where app_key = ${appKey}`}
    order by id`.execute(trx);
  return new Map(rows.map((row) => [row.id, { appKey: row.app_key, applicationName: row.name }]));
}

function buildBatch(row: Row, senders: Senders): ConsoleBatch {
  return { batchId: row.id, ...senders.get(row.application_id)!, ...buildSummary(row) };
}
