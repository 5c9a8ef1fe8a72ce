import type { CustomerId } from '@lockstep/contract';
import { isTransient } from '@lockstep/platform';
import { type Failure, holdCustomer, type OrderTools, tryOneOrder } from '../applying/one-order.ts';

/**
 * How often in a row a lane's group may fail with a transient error (connection, lock) before its orders are tried
 * alone.
 */
const MAX_TRANSIENT = 5;
/** How many orders one call tries at most, and how many may fail at most before the first succeeds. */
const MAX_TRIES = 100;
const MAX_FAILURES = 20;

type Suspect = Failure & { atMs: number };

/**
 * Tries the orders of failed groups one by one, each in its own transaction. Holds the customers whose orders fail
 * while other orders succeed (rules 6.2). If several customers fail and no order succeeds, the service may be at fault:
 * then it holds no customer, and the next call tries other customers of the lane.
 */
export class OneByOne {
  readonly #tools: OrderTools;
  /** By lane: how often in a row it failed with a transient error. */
  readonly #transient = new Map<number, number>();
  /** By lane: the customers that failed since an order last succeeded. */
  readonly #suspects = new Map<number, Map<CustomerId, Suspect>>();
  /** By lane: since when no order has succeeded (performance.now). */
  readonly #sinceMs = new Map<number, number>();
  /** Lanes in which all customers were tried. The next call starts over. */
  readonly #exhausted = new Set<number>();
  #workedMs = Number.NEGATIVE_INFINITY;

  constructor(tools: OrderTools) {
    this.#tools = tools;
  }

  /** Records that lanes were drained. `hasApplied`: whether orders were applied. */
  drained(lanes: readonly number[], hasApplied: boolean): void {
    if (hasApplied) this.#workedMs = performance.now();
    for (const lane of lanes) {
      this.#transient.delete(lane);
      this.#forget(lane);
    }
  }

  /**
   * Tries the orders of lanes whose group failed with this error. When it returns, it has applied orders or held
   * customers, and the lanes can be drained again. Throws an error if the lanes can only wait.
   */
  async run(lanes: readonly number[], error: unknown): Promise<void> {
    if (isTransient(error) && !this.#hasLasted(lanes)) throw error;
    for (const lane of lanes) {
      if (this.#exhausted.delete(lane)) this.#suspects.delete(lane);
      if (!this.#sinceMs.has(lane)) this.#sinceMs.set(lane, performance.now());
    }
    const { hasWorked, isExhausted } = await this.#tryOrders(lanes, isTransient(error));
    const suspects = lanes.flatMap((lane) => [...this.#suspectsOf(lane).values()]);
    const last = suspects.at(-1);
    if (last === undefined) {
      if (hasWorked) return;
      throw error;
    }
    const isLone = isExhausted && this.#countSuspects() === 1;
    const worksElsewhere = lanes.some((lane) => this.#workedMs > this.#sinceMs.get(lane)!);
    if (hasWorked || worksElsewhere || isLone) {
      for (const suspect of suspects) await this.#hold(suspect);
      this.drained(lanes, false);
      return;
    }
    if (isExhausted) for (const lane of lanes) this.#exhausted.add(lane);
    throw last.error;
  }

  /**
   * Tries the oldest order of each customer, then the next order of each customer that succeeded. Throws transient
   * errors, such as a lost connection, unless `isLasting`.
   */
  async #tryOrders(
    lanes: readonly number[],
    isLasting: boolean,
  ): Promise<{ hasWorked: boolean; isExhausted: boolean }> {
    const { db, ids, applied } = this.#tools;
    let hasWorked = false;
    let areAllOurs = true;
    let failures = 0;
    let round = [...lanes];
    const worked = new Set<CustomerId>();
    for (let tries = 0; tries < MAX_TRIES && (hasWorked || failures < MAX_FAILURES); tries++) {
      const lane = round.shift();
      if (lane === undefined) {
        if (worked.size === 0) return { hasWorked, isExhausted: areAllOurs };
        worked.clear();
        round = [...lanes];
        continue;
      }
      const startedMs = performance.now();
      const skip = worked.union(this.#suspectsOf(lane));
      const tried = await tryOneOrder(db, { lane, skip }, ids);
      if (tried === 'locked') areAllOurs = false;
      if (tried === 'locked' || tried === null) continue;
      round.push(lane);
      if (tried.failure === null) {
        hasWorked = true;
        worked.add(tried.customerId);
        this.#workedMs = performance.now();
        applied(tried.applied, startedMs);
      } else {
        if (!isLasting && isTransient(tried.failure.error)) throw tried.failure.error;
        failures++;
        this.#suspectsOf(lane).set(tried.customerId, { ...tried.failure, atMs: performance.now() });
      }
    }
    return { hasWorked, isExhausted: false };
  }

  /** Counts a transient failure of these lanes, and returns whether there were too many in a row. */
  #hasLasted(lanes: readonly number[]): boolean {
    for (const lane of lanes) this.#transient.set(lane, (this.#transient.get(lane) ?? 0) + 1);
    return lanes.some((lane) => this.#transient.get(lane)! >= MAX_TRANSIENT);
  }

  #suspectsOf(lane: number): Map<CustomerId, Suspect> {
    const suspects = this.#suspects.get(lane) ?? new Map<CustomerId, Suspect>();
    this.#suspects.set(lane, suspects);
    return suspects;
  }

  #countSuspects(): number {
    const all = [...this.#suspects.values()].flatMap((ofLane) => [...ofLane.values()]);
    return all.filter(({ atMs }) => atMs > this.#workedMs).length;
  }

  async #hold(suspect: Suspect): Promise<void> {
    const { accepted, error } = suspect;
    if (!(await holdCustomer(this.#tools.db, suspect))) return;
    const { licenseOrderId, order } = accepted;
    this.#tools.log.error({ err: error, licenseOrderId, customerId: order.customerId }, 'order held; will retry');
  }

  #forget(lane: number): void {
    this.#suspects.delete(lane);
    this.#sinceMs.delete(lane);
    this.#exhausted.delete(lane);
  }
}
