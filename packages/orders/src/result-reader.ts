import { type ApplicationId, type BatchId, type BatchResultQuery, Refusal, success } from '@lockstep/contract';
import {
  assertPartitions,
  type Database,
  type Deadline,
  Group,
  type LogPosition,
  latestOf,
  type ReplicaReads,
  type Standby,
  within,
} from '@lockstep/platform';
import { refuseArchivedBatch } from './archived.ts';
import { RememberedAnswers } from './remembered-answers.ts';
import { type ReadPage, readPages } from './result-pages.ts';

/** Statements at once, and what one of them reads at most: pages, and orders of pages that are not known. */
const READS = { maxRunning: 2, maxInputs: 100, maxWeight: 2_000 };
/** For answers about batches that have ended: some ten thousand of one order, or a hundred of 1,000. */
const MAX_REMEMBERED_BYTES = 32 * 1024 * 1024;

interface Poll {
  deadline: Deadline;
  applicationId: ApplicationId;
  query: BatchResultQuery;
  /** Names the page, in all that the answer depends on. */
  key: string;
}

/** A poll that a standby may answer if it shows what stands in front of the position. */
interface StandbyPoll extends Poll {
  position: LogPosition;
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
 * Answers about batches that have ended are remembered. The statement looks up the batch all the same, by its application,
 * and reads no orders if it has the very end that the remembered answer speaks of. So `lockstep order retry`, in whatever
 * process, counts from its commit on.
 */
export class ResultReader {
  readonly #db: Database;
  readonly #replica: ReplicaReads | null;
  readonly #reads: Group<Poll, FoundResult | undefined>;
  readonly #standbyReads = new Map<Standby, Group<StandbyPoll, FoundResult | undefined>>();
  readonly #remembered: RememberedAnswers;

  /** @param options.replica where polls are answered that the primary need not answer; null: only by the primary */
  constructor(options: { db: Database; replica: ReplicaReads | null; maxRememberedBytes?: number }) {
    const { db, replica, maxRememberedBytes = MAX_REMEMBERED_BYTES } = options;
    this.#db = db;
    this.#replica = replica;
    this.#remembered = new RememberedAnswers(maxRememberedBytes);
    this.#reads = new Group({ ...this.#bounds, run: (polls: Poll[]) => this.#read(db, polls) });
  }

  /**
   * Reads what became of a batch, with a page of its orders in orderList order (rules 6.4).
   *
   * Throws a Refusal: batch_not_found, for another application's batch too; batch_archived.
   */
  async read(
    { applicationId, position }: { applicationId: ApplicationId; position: LogPosition | null },
    query: BatchResultQuery,
    deadline: Deadline,
  ): Promise<FoundResult> {
    const { channelCode, channelOrderId, state, cursor, limit } = query;
    const key = JSON.stringify([applicationId, channelCode, channelOrderId, state, cursor, limit]);
    const poll = { applicationId, query, key, deadline };
    const onPrimary = () => this.#reads.run(poll);
    const found =
      this.#replica === null || position === null
        ? await onPrimary()
        : await this.#replica.read({
            position,
            deadline,
            onStandby: (standby) => this.#readsOf(standby).run({ ...poll, position }),
            onPrimary,
          });
    if (found !== undefined) return found;
    const limited = within(this.#db, deadline);
    await refuseArchivedBatch(limited, applicationId, query);
    await assertPartitions(limited);
    throw new Refusal('batch_not_found', channelOrderId, channelCode);
  }

  /** What bounds the shared statements of one server. */
  get #bounds() {
    return {
      ...READS,
      gathers: true,
      isOver: ({ deadline }: Poll) => deadline.isOver,
      weightOf: ({ key, query }: Poll) => (this.#remembered.get(key) === undefined ? query.limit : 0),
    };
  }

  /** A statement on a standby has to see what the latest of its polls has to see. */
  #readsOf(standby: Standby): Group<StandbyPoll, FoundResult | undefined> {
    const known = this.#standbyReads.get(standby);
    if (known !== undefined) return known;
    const run = async (polls: StandbyPoll[]) => {
      const position = latestOf(polls.map((poll) => poll.position));
      if (position === null) throw new Error('the primary changed while these polls came in');
      return await standby.read(position, (db) => this.#read(db, polls));
    };
    // What fails there is read from the primary.
    const reads = new Group({ ...this.#bounds, splitsOn: () => false, run });
    this.#standbyReads.set(standby, reads);
    return reads;
  }

  async #read(db: Database, polls: readonly Poll[]): Promise<(FoundResult | undefined)[]> {
    const wanted = [...new Map(polls.map((poll) => [poll.key, poll])).values()];
    const known = wanted.map(({ key }) => this.#remembered.get(key));
    const pages = await readPages(
      db,
      wanted.map((poll, index) => ({ ...poll, knownEnd: known[index]?.end ?? null })),
    );
    const found = new Map(
      wanted.map(({ key }, index) => [key, this.#answer(key, pages[index], known[index]?.answer)] as const),
    );
    return polls.map(({ key }) => found.get(key));
  }

  #answer(key: string, page: ReadPage | undefined, known: string | undefined): FoundResult | undefined {
    if (page === undefined) return undefined;
    const { batchId, end, result } = page;
    const answer = result === null ? known! : JSON.stringify(success(result));
    if (end === null) this.#remembered.forget(key);
    else if (result !== null) this.#remembered.set(key, { end, answer });
    return { batchId, hasEnded: end !== null, answer };
  }
}
