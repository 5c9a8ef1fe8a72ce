import { type ApplicationId, type BatchId, type BatchResultQuery, Refusal, success } from '@lockstep/contract';
import { type Database, type Deadline, Group } from '@lockstep/platform';
import { LRUCache } from 'lru-cache';
import type { ChannelReader } from '../channels/state.ts';
import { type ReadPage, readPages } from './pages.ts';

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
  hasEnded: boolean;
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
    return { batchId, hasEnded: end !== null, answer };
  }
}
