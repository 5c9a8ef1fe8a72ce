import { licenseOrderIdOf, ORDERS_PER_BATCH } from '@lockstep/assets';
import {
  type ApplicationId,
  type BatchId,
  type BatchResult,
  type BatchResultQuery,
  buildMessage,
  type Cause,
  codeOf,
  findConcerned,
  type OrderResult,
} from '@lockstep/contract';
import { MAX_PAGE_ORDERS } from '@lockstep/contract/routes';
import { type Database, run, textInMs } from '@lockstep/platform';
import { BATCH_WANTED } from '../accepting/batch.ts';
import { queuedIn } from '../channels/count-activity.ts';
import type { PendingInChannel } from '../channels/state.ts';
import { channelOfColumn } from '../lanes.ts';
import { buildSummary, SO_FAR, SUMMARY_COLUMNS, type SummaryRow } from '../summary.ts';

type Derived = 'licenseOrderId' | 'state' | 'code' | 'message' | 'assetNums' | 'places' | 'assets' | 'products';

/** An order with its place in orderList, the fields kept in its batch, and its outcome if it has one. */
export type OrderRow = Omit<OrderResult, Derived> & {
  index: number;
  assets: number | null;
  products: number | null;
};

/** For a SELECT with the row of an outcome as `finished`: the outcome. */
export const OUTCOME = `finished.cause, finished.args, finished.assets, finished.products,
  ${textInMs('finished.finished_time')} as "finishedTime"`;

/** For a SELECT with the row of an outcome as `finished`: since when the order is held; null if it is not. */
export const heldMs = (orderId: string) => `case when finished.id is null then (
  select ${textInMs('since')} from held_order join order_hold using (customer_id) where held_order.license_order_id = ${orderId}
) end`;

export function buildResult(batchId: BatchId, row: OrderRow): OrderResult {
  return {
    sequence: row.sequence,
    licenseOrderId: licenseOrderIdOf(batchId, row.index),
    customerId: row.customerId,
    orderType: row.orderType,
    state: row.finishedTime === null ? 'pending' : row.cause === null ? 'succeeded' : 'failed',
    code: row.cause === null ? null : codeOf(row.cause, 'order'),
    cause: row.cause,
    message: row.cause === null ? null : buildMessage(row.cause, ...row.args!),
    args: row.args,
    ...findConcerned(row.cause, row.args),
    assets: row.assets ?? 0,
    products: row.products ?? 0,
    finishedTime: row.finishedTime,
    heldSince: row.heldSince,
  };
}

/**
 * For a FROM clause after `batch`: the channels with pending orders of an open batch, as `waiting.channels`, a list of
 * PendingInChannel; null for completed batches. Orders accepted within two seconds after the batch don't count as later
 * ones.
 */
export const WAITING = `
  left join lateral (
    select json_agg(json_build_object('channelId', channel_id, 'own', own, 'behind', behind)) as channels
    from (
      select ${channelOfColumn()} as channel_id, sum(order_count - succeeded - failed) as own from lane_chunk
      where batch_id = batch.id and finished_time is null and batch.completed_time is null group by ${channelOfColumn()}
    ) as pending
    cross join lateral (
      select coalesce(${queuedIn('pending.channel_id')} - (
        select queued_before from channel_activity
        where channel_activity.channel_id = pending.channel_id and period_start > batch.accepted_time
        order by period_start limit 1
      ), 0) as behind
    ) as later
  ) as waiting on true`;

/**
 * Returns how many orders a page examines: if no index has its filter, as many as the largest page without one. `state:
 * failed` has an index, and examines only what it returns.
 */
export const countExamined = ({ state, limit }: BatchResultQuery) =>
  state === 'pending' || state === 'succeeded' ? MAX_PAGE_ORDERS : limit;

export interface WantedPage {
  applicationId: ApplicationId;
  /** If it has a cause, only orders with that cause are returned, in any state. */
  query: Omit<BatchResultQuery, 'waitSeconds'> & { cause?: Cause | undefined };
  /** The completion of the batch in the cached page; null if none is cached. */
  knownCompletion: string | null;
}

export interface ReadPage {
  batchId: SummaryRow['id'];
  /** Identifies one completion of the batch; null while it is open. After a retry, the next completion differs. */
  end: string | null;
  /**
   * Null if the batch still has the known completion: then the cached page is current. The estimate is not filled in.
   */
  result: BatchResult | null;
  /** The channels with pending orders of the batch; null if there are none. */
  waiting: readonly PendingInChannel[] | null;
}

type Row = { ordinal: number; end: string | null } & (
  | (SummaryRow & { orders: OrderRow[]; channels: PendingInChannel[] | null })
  | { id: SummaryRow['id']; orders: null }
);

/**
 * Reads pages of results; undefined if the application has no such batch. It is one statement, so counts and orders of
 * a page are consistent. It looks up batches and orders one by one, because PostgreSQL may keep a plan made when the
 * tables were empty.
 */
export async function readPages(db: Database, pages: readonly WantedPage[]): Promise<(ReadPage | undefined)[]> {
  const rows = await run<Row>(db, {
    name: 'read_result_pages',
    text: READ_RESULT_PAGES,
    values: [
      pages.map(({ applicationId }) => applicationId),
      pages.map(({ query }) => query.channelCode),
      pages.map(({ query }) => query.channelOrderId),
      pages.map(({ query }) => query.cause ?? query.state ?? null),
      pages.map(({ query }) => startOf(query)),
      // One more order tells whether there is a next page.
      pages.map(({ query }) => query.limit + 1),
      pages.map(({ knownCompletion }) => knownCompletion),
      pages.map(({ query }) => endOf(query)),
    ],
  });
  const read: (ReadPage | undefined)[] = pages.map(() => undefined);
  for (const row of rows) read[row.ordinal - 1] = buildPage(row, pages[row.ordinal - 1]!.query);
  return read;
}

/** Returns the place in orderList where a page starts, which is its cursor. */
const startOf = ({ cursor = '0' }: WantedPage['query']) => Number(cursor);

/** Returns the place of the last order that a page may examine. */
function endOf(query: WantedPage['query']): number {
  const { state, cause, limit } = query;
  if (cause === undefined && state === undefined) return startOf(query) + limit + 1;
  return cause === undefined && state === 'failed' ? ORDERS_PER_BATCH : startOf(query) + MAX_PAGE_ORDERS;
}

// Failed orders come from their index, others from a bounded part of orderList.
const READ_RESULT_PAGES = `
  select wanted.ordinal::int, batch.id, completion.end, found.*
  from unnest(
    (select $1::bigint[]), (select $2::text[]), (select $3::text[]), (select $4::text[]), (select $5::int[]),
    (select $6::int[]), (select $7::text[]), (select $8::int[])
  ) with ordinality
    as wanted (application_id, channel_code, channel_order_id, outcome, after, max_orders, known_end, until, ordinal)
  cross join lateral ${BATCH_WANTED} as batch
  cross join lateral (select
    extract(epoch from batch.completed_time) || '/' || coalesce(extract(epoch from batch.reopened_time)::text, '')
  ) as completion ("end")
  left join lateral (
    select summary.*, page.orders, waiting.channels
    from (select) as here ${SO_FAR} ${WAITING}
    cross join lateral (select ${SUMMARY_COLUMNS} offset 0) as summary
    cross join lateral (
      select coalesce(json_agg(placed order by index), '[]') as orders
      from (
        (
          select wanted.after + step::int - 1 as index, sequence, sent.customer_id as "customerId",
            sent.order_type as "orderType", ${OUTCOME},
            case when summary.held > 0 then ${heldMs('order_id')} end as "heldSince"
          from unnest(${['sequences', 'customer_ids', 'order_types'].map((list) => `batch.${list}[wanted.after + 1:wanted.until]`)})
            with ordinality as sent (sequence, customer_id, order_type, step)
          cross join lateral (select batch.id * ${ORDERS_PER_BATCH} + wanted.after + step - 1) as named (order_id)
          left join lateral (select * from license_order where id = order_id limit 1) as finished on true
          where coalesce(wanted.outcome, 'pending') in ('pending', 'succeeded') and case wanted.outcome
            when 'pending' then finished.id is null
            when 'succeeded' then finished.id is not null and finished.cause is null
            else true
          end
          order by step limit wanted.max_orders
        ) union all (
          select (id % ${ORDERS_PER_BATCH})::int, numbers.sequences[id % ${ORDERS_PER_BATCH} + 1], customer_id, order_type,
            ${OUTCOME}, null
          from (select batch.sequences[:] offset 0) as numbers (sequences)
          cross join license_order as finished
          where wanted.outcome not in ('pending', 'succeeded')
            and id >= batch.id * ${ORDERS_PER_BATCH} + wanted.after and id < batch.id * ${ORDERS_PER_BATCH} + wanted.until
            and cause is not null and (wanted.outcome = 'failed' or cause = wanted.outcome)
          order by id limit wanted.max_orders
        )
      ) as placed
    ) as page
    where wanted.known_end is null or completion.end is distinct from wanted.known_end
  ) as found on true`;

function buildPage(row: Row, query: WantedPage['query']): ReadPage {
  const { limit } = query;
  if (row.orders === null) return { batchId: row.id, end: row.end, result: null, waiting: null };
  const shown = row.orders.slice(0, limit);
  const result: BatchResult = {
    ...buildSummary(row),
    estimatedCompletionTime: null,
    orders: shown.map((order) => buildResult(row.id, order)),
    nextCursor:
      row.orders.length > limit
        ? String(shown.at(-1)!.index + 1)
        : endOf(query) < row.total
          ? String(endOf(query))
          : null,
  };
  return { batchId: row.id, end: row.end, result, waiting: row.channels };
}
