import type { LedgerIds } from '@lockstep/assets';
import { type BatchId, Refusal } from '@lockstep/contract';
import {
  type Database,
  Group,
  inTransaction,
  isConflict,
  isOverload,
  isTransient,
  type Statement,
  together,
} from '@lockstep/platform';
import { findingNewestByLane } from './backlog.ts';
import { type EarlierBatch, findingEarlier, keyOf, readEarlier, type SubmittedBatch } from './batch.ts';
import { findingHeld } from './holds.ts';
import { readLocked, tryingLanes } from './lane-locks.ts';
import { weighBatch } from './large-batches.ts';
import { BatchFailed, drawingBatchIds } from './sync-batches.ts';
import {
  type AppliedBatches,
  applyCalls,
  lanesOf,
  MAX_GROUP_BATCHES,
  MAX_GROUP_WEIGHT,
  type SyncCall,
} from './sync-calls.ts';

/** Transactions that run at once, each on a connection of its own. */
export const FREE_GROUPS_AT_ONCE = 2;
/** A call that weighs more does not share: others would wait for it longer than for a commit. */
const MAX_CALL_WEIGHT = 500;
const LOOKS_AT_ONCE = 2;
/** How long a transaction waits for what others hold, assets that they change for example: it holds the lanes of many. */
const LOCK_TIMEOUT_MS = 100;

/** What is there before a call. */
interface Look {
  /** The batch that was stored before under the same key. */
  earlier: EarlierBatch | undefined;
  /** Whether orders are pending in its lanes, which take effect first. */
  isBehind: boolean;
}

/**
 * Applies sync calls that wait for nobody: nothing is pending in their lanes, and nobody has locked them. All that come at
 * the same time share a transaction and its commit, whatever their lanes. A call that has to wait, that fails among others,
 * or whose customer is held is given back: it is for a transaction of its own lanes.
 */
export class FreeCalls {
  readonly #lanesDb: Database;
  readonly #ids: LedgerIds;
  readonly #applied: (work: AppliedBatches) => void;
  readonly #looks: Group<SubmittedBatch, Look>;
  readonly #groups: Group<SyncCall, BatchId | null>;

  /** `applied`: told what each transaction has stored, after its commit. */
  constructor(options: {
    db: Database;
    lanesDb: Database;
    ids: LedgerIds;
    applied: (work: AppliedBatches) => void;
  }) {
    const { db, lanesDb, ids, applied } = options;
    this.#lanesDb = lanesDb;
    this.#ids = ids;
    this.#applied = applied;
    this.#looks = new Group({
      run: (batches: SubmittedBatch[]) => look(db, batches),
      maxRunning: LOOKS_AT_ONCE,
      maxInputs: MAX_GROUP_BATCHES,
      gathers: true,
    });
    this.#groups = new Group({
      run: (calls) => this.#applyTogether(calls),
      splitsOn: () => false,
      maxRunning: FREE_GROUPS_AT_ONCE,
      maxInputs: MAX_GROUP_BATCHES,
      weightOf: ({ batch }) => weighBatch(batch),
      maxWeight: MAX_GROUP_WEIGHT,
      keyOf: ({ batch }) => keyOf(batch),
      needsOf: ({ batch }) => lanesOf([batch]),
      joinsFreely: true,
      gathers: true,
    });
  }

  /** Looks what is there before a call. */
  look(batch: SubmittedBatch): Promise<Look> {
    return this.#looks.run(batch);
  }

  /**
   * Applies a call behind which nothing is pending, and returns its batch. Null: nothing is stored, and it is for a
   * transaction of its own lanes. Throws what has nothing to do with the calls.
   */
  async apply(call: SyncCall): Promise<BatchId | null> {
    return weighBatch(call.batch) > MAX_CALL_WEIGHT ? null : await this.#groups.run(call);
  }

  async #applyTogether(calls: readonly SyncCall[]): Promise<(BatchId | null)[]> {
    const startedMs = performance.now();
    const waiting = calls.filter(({ deadlineMs }) => deadlineMs > startedMs);
    if (waiting.length < calls.length) return await this.#applyRest(calls, waiting);
    let tried: { calls: SyncCall[]; newIds: BatchId[] } = { calls: [], newIds: [] };
    try {
      const { batchIds, newBatches } = await inTransaction(this.#lanesDb, async (trx) => {
        const batches = calls.map(({ batch }) => batch);
        const lanes = lanesOf(batches);
        const [locked, , earlierRows, drawn, held] = await together(trx, [
          tryingLanes(lanes, lanes.length),
          shortWaits,
          findingEarlier(batches),
          drawingBatchIds(calls.length),
          findingHeld(batches.flatMap(({ customerIds }) => customerIds)),
        ]);
        const own = new Set(readLocked(locked));
        const heldIds = new Set(held.map(({ customer_id }) => customer_id));
        const places = [...calls.keys()].filter((place) => {
          const { customerIds } = batches[place]!;
          return (
            lanesOf([batches[place]!]).every((lane) => own.has(lane)) && heldIds.isDisjointFrom(new Set(customerIds))
          );
        });
        const earlier = readEarlier(earlierRows, batches);
        tried = { calls: places.map((place) => calls[place]!), newIds: places.map((place) => drawn[place]!.id) };
        const stored = { earlier: places.map((place) => earlier[place]), newIds: tried.newIds };
        return await applyCalls(trx, tried.calls, stored, this.#ids);
      });
      this.#applied({ newBatches, startedMs });
      return calls.map((call) => batchIds[tried.calls.indexOf(call)] ?? null);
    } catch (error) {
      if (error instanceof Refusal && calls.length === 1) throw error;
      if (error instanceof BatchFailed) {
        const rest = tried.calls.filter((_, place) => !error.batchIds.has(tried.newIds[place]!));
        return await this.#applyRest(calls, rest);
      }
      // It may be due to one of them: a number that somebody else works on. Nobody waits for another one's.
      if (!isTransient(error) || isOverload(error) || isConflict(error)) return calls.map(() => null);
      throw error;
    }
  }

  /** Applies some of the calls, and gives the others back. */
  async #applyRest(calls: readonly SyncCall[], rest: readonly SyncCall[]): Promise<(BatchId | null)[]> {
    const batchIds = rest.length === 0 ? [] : await this.#applyTogether(rest);
    return calls.map((call) => batchIds[rest.indexOf(call)] ?? null);
  }
}

const shortWaits: Statement<unknown> = {
  name: 'wait_shortly',
  text: `select set_config('lock_timeout', '${LOCK_TIMEOUT_MS}ms', true)`,
  values: [],
};

async function look(db: Database, batches: readonly SubmittedBatch[]): Promise<Look[]> {
  const [earlierRows, newest] = await together(db, [findingEarlier(batches), findingNewestByLane(lanesOf(batches))]);
  const earlier = readEarlier(earlierRows, batches);
  const behind = new Set(newest.map(({ lane }) => lane));
  return batches.map(({ chunks }, place) => ({
    earlier: earlier[place],
    isBehind: chunks.some(({ lane }) => behind.has(lane)),
  }));
}
