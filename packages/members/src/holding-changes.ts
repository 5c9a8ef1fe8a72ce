import { Refusal } from '@lockstep/contract';
import { type Database, inTransaction, type Trx, waitAtMost } from '@lockstep/platform';
import PQueue from 'p-queue';
import type { Actor } from './scope.ts';

/** Connections that changes of what employees hold take at most: they wait for assets that orders are changing. */
export const HOLDING_CHANGES_AT_ONCE = 6;
/** Of these, those of one enterprise: what one waits for keeps no other from working. */
const CHANGES_OF_AN_ENTERPRISE = 2;
/** How long a call waits for its turn, and then for each lock until this time is over. */
const MAX_WAIT_MS = 15_000;
const MAX_WAITING = 500;

/** Runs the transactions that change what employees hold, so many at once at most in a process. */
export class HoldingChanges {
  readonly #lanesDb: Database;
  readonly #all = new PQueue({ concurrency: HOLDING_CHANGES_AT_ONCE });
  readonly #ofEnterprises = new Map<string, PQueue>();
  #waiting = 0;

  /** `lanesDb` has connections for calls that wait, HOLDING_CHANGES_AT_ONCE of them for these. */
  constructor(lanesDb: Database) {
    this.#lanesDb = lanesDb;
  }

  /** Throws a Refusal, overloaded, where too many wait already or a turn does not come within 15 seconds. */
  async run<Result>({ enterpriseId }: Actor, work: (trx: Trx) => Promise<Result>): Promise<Result> {
    if (this.#waiting >= MAX_WAITING) throw new Refusal('overloaded');
    const deadlineMs = performance.now() + MAX_WAIT_MS;
    const turn = Promise.withResolvers<Result>();
    const timer = setTimeout(() => turn.reject(new Refusal('overloaded')), MAX_WAIT_MS);
    let isOver = false;
    turn.promise.catch(() => {
      isOver = true;
    });
    this.#waiting++;
    void this.#inTurn(enterpriseId, async () => {
      this.#waiting--;
      clearTimeout(timer);
      if (isOver) return;
      const transaction = inTransaction(this.#lanesDb, async (trx) => {
        await waitAtMost(trx, deadlineMs - performance.now());
        return work(trx);
      });
      await transaction.then(turn.resolve, turn.reject);
    });
    return turn.promise;
  }

  /** Waits for a place of the enterprise, then for one of all. */
  async #inTurn(enterpriseId: string, work: () => Promise<void>): Promise<void> {
    const own = this.#ofEnterprises.get(enterpriseId) ?? new PQueue({ concurrency: CHANGES_OF_AN_ENTERPRISE });
    this.#ofEnterprises.set(enterpriseId, own);
    await own.add(() => this.#all.add(work));
    if (own.size + own.pending === 0) this.#ofEnterprises.delete(enterpriseId);
  }
}
