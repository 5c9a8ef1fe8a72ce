import { Refusal } from '@lockstep/contract';
import { type Database, endWithin, inTransaction, isTimeout, type Trx } from '@lockstep/platform';
import PQueue from 'p-queue';
import type { Actor } from './scope.ts';

/** Connections that changes of what employees hold take at most: they wait for assets that orders are changing. */
export const HOLDING_CHANGES_AT_ONCE = 6;
/** Of these, those of one enterprise: what one waits for keeps no other from working. */
const CHANGES_OF_AN_ENTERPRISE = 2;
/** Calls of one enterprise that wait for their turn. */
const MAX_WAITING = 250;
/** How long a call takes at most, its turn included. */
const MAX_CALL_MS = 15_000;

/** Runs the transactions that change what employees hold, so many at once at most in a process. */
export class HoldingChanges {
  readonly #lanesDb: Database;
  readonly #all = new PQueue({ concurrency: HOLDING_CHANGES_AT_ONCE });
  readonly #ofEnterprises = new Map<string, PQueue>();

  /** `lanesDb` has connections for calls that wait, HOLDING_CHANGES_AT_ONCE of them for these. */
  constructor(lanesDb: Database) {
    this.#lanesDb = lanesDb;
  }

  /**
   * Runs a transaction in turn. Throws a Refusal, overloaded, where too many wait already, no turn comes in time, or what
   * others hold does not become free in time; then nothing has changed.
   */
  async run<Result>({ enterpriseId }: Actor, work: (trx: Trx) => Promise<Result>): Promise<Result> {
    const own = this.#queueOf(enterpriseId);
    if (own.size >= MAX_WAITING) throw new Refusal('overloaded');
    const endMs = performance.now() + MAX_CALL_MS;
    // It takes a call out of a queue; a transaction that has begun ends by its own bounds.
    const giveUp = new AbortController();
    const timer = setTimeout(() => giveUp.abort(new Refusal('overloaded')), MAX_CALL_MS);
    const { signal } = giveUp;
    const transact = () => {
      clearTimeout(timer);
      return inTransaction(this.#lanesDb, async (trx) => {
        await endWithin(trx, endMs - performance.now());
        return work(trx);
      });
    };
    try {
      return await own.add(() => this.#all.add(transact, { signal }), { signal });
    } catch (error) {
      throw isTimeout(error) ? new Refusal('overloaded') : error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** The calls of one enterprise; there is a queue while there are any. */
  #queueOf(enterpriseId: string): PQueue {
    const existing = this.#ofEnterprises.get(enterpriseId);
    if (existing !== undefined) return existing;
    const queue = new PQueue({ concurrency: CHANGES_OF_AN_ENTERPRISE });
    queue.once('idle', () => this.#ofEnterprises.delete(enterpriseId));
    this.#ofEnterprises.set(enterpriseId, queue);
    return queue;
  }
}
