import { ORDERS_PER_BATCH } from '@lockstep/assets';
import {
  type ApplicationId,
  type BatchId,
  type BatchResult,
  type BatchResultQuery,
  type Cause,
  Refusal,
  success,
} from '@lockstep/contract';
import { MAX_PAGE_ORDERS } from '@lockstep/contract/words';
import { type Database, type Deadline, Group, run } from '@lockstep/platform';
import { LRUCache } from 'lru-cache';
import { BATCH_WANTED } from '../accepting/batch.ts';
import type { PendingInChannel } from '../channels/estimates.ts';
import type { ChannelReader } from '../channels/state.ts';
import { COMPLETIONS_CHANNEL } from '../feed/numbering.ts';
import { Watch } from '../feed/watch.ts';
import { buildSummary, SO_FAR, SUMMARY_COLUMNS, type SummaryRow } from '../summary.ts';
import { buildResult, heldSince, type OrderRow, WAITING } from './results.ts';

/** How many statements run at once, and how much each reads at most: pages, and orders of pages that are not cached. */
const READS = { maxRunning: 2, maxInputs: 100, maxWeight: 2_000 };
/**
 * The cache of answers about completed batches, in bytes: some ten thousand of one order each, or a hundred of 1,000.
 */
const MAX_REMEMBERED_BYTES = 32 * 1024 * 1024;
/** The approximate size of a cached answer besides its text. A character takes two bytes. */
const ENTRY_BYTES = 256;

/** The most orders that a page examines if no index has its filter: as many as the largest page without a filter. */
const MAX_EXAMINED = MAX_PAGE_ORDERS;

/** Returns how many orders a page examines; `state: failed` has an index, and examines only what it returns. */
const countExamined = ({ state, limit }: BatchResultQuery) =>
  state === 'pending' || state === 'succeeded' ? MAX_EXAMINED : limit;

interface Poll {
  deadline: Deadline;
  applicationId: ApplicationId;
  query: BatchResultQuery;
  /** Identifies the page by everything that the answer depends on. */
  key: string;
}

export interface FoundResult {
  batchId: BatchId;
  isCompleted: boolean;
  answer: string;
}

/**
 * Reads batch results for the polls of a process. Polls that wait at the same time share a statement, which reads
 * identical pages once. It may exceed a call's deadline by the pool's statement timeout.
 *
 * Answers about completed batches are cached. The statement still looks up the batch by its application, but reads no
 * orders if the cached completion is current. So `lockstep order retry` takes effect with its commit, in any process.
 */
export class ResultReader {
  readonly #db: Database;
  readonly #channels: ChannelReader;
  readonly #reads: Group<Poll, FoundResult | undefined>;
  readonly #remembered = new LRUCache<string, { end: string; answer: string }>({
    maxSize: MAX_REMEMBERED_BYTES,
    sizeCalculation: ({ end, answer }, key) => ENTRY_BYTES + 2 * (key.length + end.length + answer.length),
  });

  constructor(db: Database, channels: ChannelReader) {
    this.#db = db;
    this.#channels = channels;
    this.#reads = new Group({
      ...READS,
      isOver: ({ deadline }: Poll) => deadline.isOver,
      partyOf: ({ applicationId }: Poll) => applicationId,
      weightOf: ({ key, query }: Poll) => (this.#remembered.has(key) ? 0 : countExamined(query)),
      run: (polls: Poll[]) => this.#read(polls),
    });
  }

  /**
   * Returns the result of a batch with a page of its orders, in orderList order (rules 6.4).
   *
   * Throws a Refusal (batch_not_found), also for batches of other applications.
   */
  async read(applicationId: ApplicationId, query: BatchResultQuery, deadline: Deadline): Promise<FoundResult> {
    const { channelCode, channelOrderId, state, cursor, limit } = query;
    const key = JSON.stringify([applicationId, channelCode, channelOrderId, state, cursor, limit]);
    const found = await this.#reads.run({ applicationId, query, key, deadline });
    if (found !== undefined) return found;
    throw new Refusal('batch_not_found', channelOrderId, channelCode);
  }

  async #read(polls: readonly Poll[]): Promise<(FoundResult | undefined)[]> {
    const wanted = [...new Map(polls.map((poll) => [poll.key, poll])).values()];
    const known = wanted.map(({ key }) => this.#remembered.get(key));
    const pages = await readPages(
      this.#db,
      wanted.map((poll, index) => ({ ...poll, knownCompletion: known[index]?.end ?? null })),
    );
    for (const page of pages) {
      if (page?.result && page.result.held === 0)
        page.result.estimatedCompletionTime = await this.#channels.estimate(page.waiting);
    }
    const found = new Map(
      wanted.map(({ key }, index) => [key, this.#answer(key, pages[index], known[index]?.answer)] as const),
    );
    return polls.map(({ key }) => found.get(key));
  }

  #answer(key: string, page: ReadPage | undefined, known: string | undefined): FoundResult | undefined {
    if (page === undefined) return undefined;
    const { batchId, end, result } = page;
    const answer = result === null ? known! : JSON.stringify(success(result));
    if (end === null) this.#remembered.delete(key);
    else if (result !== null) this.#remembered.set(key, { end, answer });
    return { batchId, isCompleted: end !== null, answer };
  }
}

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
  | (SummaryRow & { orders: StoredOrder[]; channels: PendingInChannel[] | null })
  | { id: SummaryRow['id']; orders: null }
);
type StoredOrder = Omit<OrderRow, 'finished_time' | 'held_since'> & {
  finished_ms: number | null;
  held_ms: number | null;
};

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
      pages.map(({ query }) => query.cursor ?? 0),
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

/** Returns the place of the last order that a page may examine. */
function endOf({ state, cause, cursor = 0, limit }: WantedPage['query']): number {
  if (cause === undefined && state === undefined) return cursor + limit + 1;
  return cause === undefined && state === 'failed' ? ORDERS_PER_BATCH : cursor + MAX_EXAMINED;
}

const OUTCOME = `finished.cause, finished.message, finished.assets, finished.products,
  floor(extract(epoch from finished.finished_time) * 1000) as finished_ms`;

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
          select wanted.after + step::int - 1 as index, sequence, sent.customer_id, sent.order_type, ${OUTCOME},
            case when summary.held > 0 then floor(extract(epoch from ${heldSince('order_id')}) * 1000) end as held_ms
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
  const last = shown.at(-1);
  const result: BatchResult = {
    ...buildSummary(row),
    estimatedCompletionTime: null,
    orders: shown.map(({ finished_ms, held_ms, ...order }) =>
      buildResult(row.id, { ...order, finished_time: dateOf(finished_ms), held_since: dateOf(held_ms) }),
    ),
    nextCursor:
      row.orders.length > limit ? String(last!.index + 1) : endOf(query) < row.total ? String(endOf(query)) : null,
  };
  return { batchId: row.id, end: row.end, result, waiting: row.channels };
}

const dateOf = (ms: number | null) => (ms === null ? null : new Date(ms));

/** Lets calls wait until their batch is completed. */
export function watchBatches(db: Database): Watch<BatchId> {
  return new Watch(COMPLETIONS_CHANNEL, async (batchIds) => {
    const rows = await run<{ id: BatchId }>(db, {
      name: 'find_completed_batches',
      text: 'select id from batch where id = any ((select $1::bigint[])::bigint[]) and completed_time is not null',
      values: [batchIds],
    });
    return rows.map(({ id }) => id);
  });
}

/**
 * Returns the result of a batch as the JSON text of the answer (rules 6.4). Waits until the batch is completed,
 * `waitSeconds` have passed or the client has disconnected.
 *
 * Throws a Refusal (batch_not_found) or an Overload.
 */
export async function awaitBatchResult(
  results: ResultReader,
  watch: Watch<BatchId>,
  applicationId: ApplicationId,
  query: BatchResultQuery,
  deadline: Deadline,
): Promise<string> {
  const read = () => deadline.race(results.read(applicationId, query, deadline));
  const { batchId: key, isCompleted, answer } = await read();
  const { waitSeconds } = query;
  if (isCompleted || waitSeconds === 0) return answer;
  const found = await watch.read({ key, waitSeconds, signal: deadline.signal }, read, (each) => each.isCompleted);
  return found.answer;
}
