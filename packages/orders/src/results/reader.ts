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
import { type Database, type Deadline, Group, run } from '@lockstep/platform';
import { LRUCache } from 'lru-cache';
import { BATCH_WANTED } from '../accepting/batch.ts';
import type { PendingInChannel } from '../channels/estimates.ts';
import type { ChannelReader } from '../channels/state.ts';
import {
  buildResult,
  buildSummary,
  heldSince,
  type OrderRow,
  SO_FAR,
  SUMMARY_COLUMNS,
  type SummaryRow,
  WAITING,
} from './results.ts';

/** Statements at once, and what one of them reads at most: pages, and orders of pages that are not known. */
const READS = { maxRunning: 2, maxInputs: 100, maxWeight: 2_000 };
/** For answers about batches that have ended: some ten thousand of one order, or a hundred of 1,000. */
const MAX_REMEMBERED_BYTES = 32 * 1024 * 1024;
/** What a remembered answer takes beside its texts, roughly; a character takes two bytes. */
const ENTRY_BYTES = 256;

interface Poll {
  deadline: Deadline;
  applicationId: ApplicationId;
  query: BatchResultQuery;
  /** Names the page, in all that the answer depends on. */
  key: string;
}

/** What became of a batch, as far as a call wants to know. */
export interface FoundResult {
  batchId: BatchId;
  isCompleted: boolean;
  /** The body of the answer, as JSON. */
  answer: string;
}

/**
 * Reads results of batches for the polls of a process. Those that wait at the same time share a statement, and the same
 * pages are read once in it. It outlives no call's deadline by more than the pool's own timeout of statements.
 *
 * Answers about batches that have ended are remembered. The statement looks up the batch all the same, by its
 * application, and reads no orders if it has the very end that the remembered answer speaks of. So `lockstep order
 * retry`, in whatever process, counts from its commit on.
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
      gathers: true,
      isOver: ({ deadline }: Poll) => deadline.isOver,
      weightOf: ({ key, query }: Poll) => (this.#remembered.has(key) ? 0 : query.limit),
      run: (polls: Poll[]) => this.#read(polls),
    });
  }

  /**
   * Reads what became of a batch, with a page of its orders in orderList order (rules 6.4).
   *
   * Throws a Refusal: batch_not_found, for another application's batch too.
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
      wanted.map((poll, index) => ({ ...poll, knownEnd: known[index]?.end ?? null })),
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

/** A page of a batch's result that somebody wants to see. */
export interface WantedPage {
  applicationId: ApplicationId;
  /** If it has a cause, only orders with that are shown, whatever the state. */
  query: Omit<BatchResultQuery, 'waitSeconds'> & { cause?: Cause | undefined };
  /** The end of the batch whose page is known already; null if none is. */
  knownEnd: string | null;
}

/** A page as it is in the database. */
export interface ReadPage {
  batchId: SummaryRow['id'];
  /** Which end of the batch this is: no two ends of a batch have the same mark, nor a null one, which is open. */
  end: string | null;
  /** Null: the batch has the known end, so the page is the known one. It has no estimate yet. */
  result: BatchResult | null;
  /** Where orders of it are pending; null if none is. */
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
 * Reads pages of results, in their order; undefined where the application has no such batch. It is one statement, so
 * counts and orders of a page are of one moment. It reads no orders for pages that are known. A plan is kept, perhaps
 * from when the tables were empty. So batches and orders are looked up one by one.
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
      // One more than is shown says whether there is a next page.
      pages.map(({ query }) => query.limit + 1),
      pages.map(({ knownEnd }) => knownEnd),
    ],
  });
  const read: (ReadPage | undefined)[] = pages.map(() => undefined);
  for (const row of rows) read[row.ordinal - 1] = buildPage(row, pages[row.ordinal - 1]!.query.limit);
  return read;
}

const READ_RESULT_PAGES = `
  select wanted.ordinal::int, batch.id, ending.end, found.*
  from unnest(
    (select $1::bigint[]), (select $2::text[]), (select $3::text[]), (select $4::text[]), (select $5::int[]),
    (select $6::int[]), (select $7::text[])
  ) with ordinality
    as wanted (application_id, channel_code, channel_order_id, outcome, after, max_orders, known_end, ordinal)
  cross join lateral ${BATCH_WANTED} as batch
  cross join lateral (select
    extract(epoch from batch.completed_time) || '/' || coalesce(extract(epoch from batch.reopened_time)::text, '')
  ) as ending ("end")
  left join lateral (
    select summary.*, page.orders, waiting.channels
    from (select) as here ${SO_FAR} ${WAITING}
    cross join lateral (select ${SUMMARY_COLUMNS} offset 0) as summary
    cross join lateral (
      select coalesce(json_agg(placed order by index), '[]') as orders
      from (
        select place::int - 1 as index, sequence, sent.customer_id, sent.order_type, finished.cause, finished.message,
          finished.assets, finished.products, floor(extract(epoch from finished.finished_time) * 1000) as finished_ms,
          case when summary.held > 0 then floor(extract(epoch from ${heldSince('order_id')}) * 1000) end as held_ms
        from unnest(batch.sequences, batch.customer_ids, batch.order_types)
          with ordinality as sent (sequence, customer_id, order_type, place)
        cross join lateral (select batch.id * ${ORDERS_PER_BATCH} + place - 1) as named (order_id)
        left join lateral (select * from license_order where id = order_id limit 1) as finished on true
        where place > wanted.after and (wanted.outcome is not null or place <= wanted.after + wanted.max_orders)
          and case wanted.outcome
            when 'pending' then finished.id is null
            when 'succeeded' then finished.id is not null and finished.cause is null
            when 'failed' then finished.cause is not null
            else wanted.outcome is null or finished.cause = wanted.outcome
          end
        order by place limit wanted.max_orders
      ) as placed
    ) as page
    where wanted.known_end is null or ending.end is distinct from wanted.known_end
  ) as found on true`;

function buildPage(row: Row, limit: number): ReadPage {
  if (row.orders === null) return { batchId: row.id, end: row.end, result: null, waiting: null };
  const shown = row.orders.slice(0, limit);
  const last = shown.at(-1);
  const result: BatchResult = {
    ...buildSummary(row),
    estimatedCompletionTime: null,
    orders: shown.map(({ finished_ms, held_ms, ...order }) =>
      buildResult(row.id, { ...order, finished_time: dateOf(finished_ms), held_since: dateOf(held_ms) }),
    ),
    nextCursor: row.orders.length > limit && last !== undefined ? String(last.index + 1) : null,
  };
  return { batchId: row.id, end: row.end, result, waiting: row.channels };
}

const dateOf = (ms: number | null) => (ms === null ? null : new Date(ms));
