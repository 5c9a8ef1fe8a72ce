import type { Database, Logger } from '@lockstep/platform';
import { readBacklog } from './backlog.ts';
import type { Drained } from './drain.ts';
import type { Failure } from './holds.ts';
import type { OrderMetrics } from './metrics.ts';
import type { PayloadFault } from './stored-orders.ts';

/** Why orders cannot be applied at present. */
interface Stall {
  sinceMs: number;
  reason: string;
  /** Reasons that the log has already. */
  told: Set<string>;
}

/** What can fail: a lane (by number), or the sweep. */
export type Part = number | 'sweep';

/**
 * Reports orders that stay pending to the log: a line when that begins, one when the reason changes and one when it is over,
 * but not one for each attempt. Tells readiness and metrics whether it is so and why.
 */
export class Stalls {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #metrics: OrderMetrics;
  readonly #failing = new Set<Part>();
  /** By lane, why stored orders cannot be read. */
  readonly #unreadable = new Map<number, PayloadFault>();
  #service: Stall | null = null;
  #orders: Stall | null = null;

  constructor({ db, log, metrics }: { db: Database; log: Logger; metrics: OrderMetrics }) {
    this.#db = db;
    this.#log = log;
    this.#metrics = metrics;
  }

  /** Why orders wait; null if none does, as far as this process knows. */
  get reason(): string | null {
    return this.#service?.reason ?? this.#orders?.reason ?? null;
  }

  /** Notes that these could not be worked on at all. */
  failed(parts: readonly Part[], error: unknown): void {
    for (const part of parts) this.#failing.add(part);
    this.#count();
    this.#service = this.#tell(this.#service, describeError(error), (reason, why) =>
      this.#log.error(
        { err: error, lanes: this.#failingLanes() },
        `orders ${why}: the service cannot apply any (${reason}). They stay pending and are tried again by themselves; ` +
          'repair what the error names, and check that npm run migrate has run',
      ),
    );
  }

  /** Notes that these were worked on. */
  worked(parts: readonly Part[]): void {
    for (const part of parts) this.#failing.delete(part);
    this.#count();
    if (this.#failing.size > 0 || this.#service === null) return;
    const seconds = secondsSince(this.#service.sinceMs);
    this.#service = null;
    readBacklog(this.#db).then(
      ({ lanes }) => {
        const pendingOrders = lanes.reduce((sum, lane) => sum + lane.pendingOrders, 0);
        this.#log.info({ seconds, pendingOrders }, 'orders are applied again');
      },
      () => this.#log.info({ seconds }, 'orders are applied again'),
    );
  }

  /** Notes what waits although the service works: orders that cannot be applied, and stored ones that cannot be read. */
  waiting(
    held: readonly Failure[],
    lanes: readonly number[],
    drained: Pick<Drained, 'unreadable' | 'throughBatchId'>,
  ): void {
    this.#metrics.heldCustomers.set(held.length);
    if (drained.throughBatchId === null) for (const lane of lanes) this.#unreadable.delete(lane);
    for (const { lane, fault } of drained.unreadable) this.#unreadable.set(lane, fault);
    const [first] = held;
    const [unreadable] = this.#unreadable.values();
    if (first === undefined && unreadable === undefined) {
      if (this.#orders === null) return;
      this.#log.info({ seconds: secondsSince(this.#orders.sinceMs) }, 'no order is held any more');
      this.#orders = null;
      return;
    }
    const error = first?.error ?? unreadable;
    this.#orders = this.#tell(this.#orders, describeError(error), (reason, why) =>
      this.#log.error(
        { err: error, licenseOrderId: first?.accepted.licenseOrderId, heldCustomers: held.length },
        `orders ${why}: some cannot be applied (${reason}). They and later ones of the same customers stay pending and ` +
          'are tried again by themselves; all others go on',
      ),
    );
  }

  #tell(stall: Stall | null, reason: string, say: (reason: string, why: string) => void): Stall {
    const { sinceMs = performance.now(), told = new Set<string>() } = stall ?? {};
    if (!told.has(reason)) say(reason, told.size === 0 ? 'wait' : 'still wait, for another reason');
    return { sinceMs, reason, told: told.add(reason) };
  }

  #count(): void {
    this.#metrics.stalledLanes.set(this.#failingLanes().length);
  }

  #failingLanes(): Part[] {
    return [...this.#failing].filter((part) => part !== 'sweep');
  }
}

/** Describes an error in a few words, without PostgreSQL's detail, which quotes rows. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? `${code} ${error.message}` : error.message;
}

function secondsSince(sinceMs: number): number {
  return Math.round((performance.now() - sinceMs) / 100) / 10;
}
