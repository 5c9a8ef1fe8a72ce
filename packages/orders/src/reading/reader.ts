import { type ApplicationId, type BatchId, type BatchResultQuery, Refusal, success } from '@lockstep/contract';
import { type Database, type Deadline, Group, run } from '@lockstep/platform';
import type { ChannelReader } from '../channels/state.ts';
import { COMPLETIONS_CHANNEL, Watch } from '../feed/numbering.ts';
import { countExamined, readPages } from './results.ts';

/** How many statements run at once, and how much each reads at most: pages, and orders. */
const READS = { maxRunning: 2, maxInputs: 100, maxWeight: 2_000 };

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
 */
export class ResultReader {
  readonly #db: Database;
  readonly #channels: ChannelReader;
  readonly #watch: Watch<BatchId>;
  readonly #reads: Group<Poll, FoundResult | undefined>;

  constructor(db: Database, channels: ChannelReader, watch: Watch<BatchId>) {
    this.#db = db;
    this.#channels = channels;
    this.#watch = watch;
    this.#reads = new Group({
      ...READS,
      isOver: ({ deadline }: Poll) => deadline.isOver,
      partyOf: ({ applicationId }: Poll) => applicationId,
      weightOf: ({ query }: Poll) => countExamined(query),
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
    const pages = await readPages(this.#db, wanted);
    const found = new Map<string, FoundResult>();
    for (const [index, page] of pages.entries()) {
      if (page === undefined) continue;
      const { batchId, result, waiting } = page;
      const estimatedCompletionTime = result.held === 0 ? await this.#channels.estimate(waiting) : null;
      const answer = JSON.stringify(success({ ...result, estimatedCompletionTime }));
      found.set(wanted[index]!.key, { batchId, isCompleted: result.completedTime !== null, answer });
    }
    return polls.map(({ key }) => found.get(key));
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
