import { type ApplicationId, type BatchId, type BatchResultQuery, Refusal, success } from '@lockstep/contract';
import { type Database, type Deadline, Group, run } from '@lockstep/platform';
import { LRUCache } from 'lru-cache';
import type { ChannelReader } from '../channels/state.ts';
import { COMPLETIONS_CHANNEL, Watch } from '../feed/numbering.ts';
import { countExamined, type ReadPage, readPages } from './results.ts';

/** How many statements run at once, and how much each reads at most: pages, and orders of pages that are not cached. */
const READS = { maxRunning: 2, maxInputs: 100, maxWeight: 2_000 };
/**
 * The cache of answers about completed batches, in bytes: some ten thousand of one order each, or a hundred of 1,000.
 */
const MAX_REMEMBERED_BYTES = 32 * 1024 * 1024;
/** The approximate size of a cached answer besides its text. A character takes two bytes. */
const ENTRY_BYTES = 256;

interface Poll {
  deadline: Deadline;
  applicationId: ApplicationId;
  query: BatchResultQuery;
  /** Identifies the page by everything that the answer depends on. */
  key: string;
}

interface FoundResult {
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
  readonly #watch: Watch<BatchId>;
  readonly #reads: Group<Poll, FoundResult | undefined>;
  readonly #remembered = new LRUCache<string, { end: string; answer: string }>({
    maxSize: MAX_REMEMBERED_BYTES,
    sizeCalculation: ({ end, answer }, key) => ENTRY_BYTES + 2 * (key.length + end.length + answer.length),
  });

  constructor(db: Database, channels: ChannelReader, watch: Watch<BatchId>) {
    this.#db = db;
    this.#channels = channels;
    this.#watch = watch;
    this.#reads = new Group({
      ...READS,
      isOver: ({ deadline }: Poll) => deadline.isOver,
      partyOf: ({ applicationId }: Poll) => applicationId,
      weightOf: ({ key, query }: Poll) => (this.#remembered.has(key) ? 0 : countExamined(query)),
      run: (polls: Poll[]) => this.#read(polls),
    });
  }

  /**
   * Returns the result of a batch with a page of its orders, in orderList order, as the JSON text of the answer (rules
   * 6.4). Waits until the batch is completed, `waitSeconds` have passed or the client has disconnected.
   *
   * Throws a Refusal (batch_not_found), also for batches of other applications; an Overload at the deadline.
   */
  async read(applicationId: ApplicationId, query: BatchResultQuery, deadline: Deadline): Promise<string> {
    const { channelCode, channelOrderId, state, cursor, limit, waitSeconds } = query;
    const key = JSON.stringify([applicationId, channelCode, channelOrderId, state, cursor, limit]);
    const read = async () => {
      const found = await deadline.race(this.#reads.run({ applicationId, query, key, deadline }));
      if (found !== undefined) return found;
      throw new Refusal('batch_not_found', channelOrderId, channelCode);
    };
    const { batchId, isCompleted, answer } = await read();
    if (isCompleted || waitSeconds === 0) return answer;
    const waiting = { key: batchId, waitSeconds, signal: deadline.signal };
    return (await this.#watch.read(waiting, read, (each) => each.isCompleted)).answer;
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
