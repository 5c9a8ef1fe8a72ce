import type { Database, Logger } from '@lockstep/platform';
import { sql } from 'kysely';
import { describeError } from '../applying/holds.ts';
import { readChannels } from '../channels/state.ts';
import type { OrderMetrics } from '../metrics.ts';

/** Why orders cannot be applied at present. */
interface Stall {
  sinceMs: number;
  reason: string;
  /** Reasons that the log has already. */
  told: Set<string>;
}

/** Lanes that a line of the log names at most. */
const MAX_LOGGED_LANES = 100;

/** What can fail: a lane (by number), or the sweep. */
export type Part = number | 'sweep';

/**
 * Reports lanes that cannot be drained to the log: a line when that begins, one when the reason changes and one when it
 * is over, but not one for each attempt. Tells readiness and metrics whether it is so and why, and the console by
 * lane_stall.
 */
export class Stalls {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #metrics: OrderMetrics;
  readonly #failing = new Set<Part>();
  #stall: Stall | null = null;
  /** Notes are stored one after the other. */
  #stored: Promise<unknown> = Promise.resolve();

  constructor({ db, log, metrics }: { db: Database; log: Logger; metrics: OrderMetrics }) {
    this.#db = db;
    this.#log = log;
    this.#metrics = metrics;
  }

  /** Why orders wait; null if none does, as far as this process knows. */
  get reason(): string | null {
    return this.#stall?.reason ?? null;
  }

  /** Notes that these could not be worked on. */
  failed(parts: readonly Part[], error: unknown): void {
    for (const part of parts) this.#failing.add(part);
    this.#count();
    const reason = describeError(error);
    const { sinceMs = performance.now(), told = new Set<string>() } = this.#stall ?? {};
    if (!told.has(reason)) {
      const lanes = lanesOf(this.#failing).slice(0, MAX_LOGGED_LANES);
      this.#log.error({ err: error, reason, lanes }, 'orders stalled; will retry');
    }
    this.#stall = { sinceMs, reason, told: told.add(reason) };
    this.#store(sql`
      insert into lane_stall (lane, last_error)
      select lane, ${reason} from unnest(${lanesOf(parts)}::int[]) as lane
      on conflict (lane) do update set seen_time = statement_timestamp(), last_error = excluded.last_error`);
  }

  /** Notes that these were worked on. */
  worked(parts: readonly Part[]): void {
    const recovered = parts.filter((part) => this.#failing.delete(part));
    if (recovered.length === 0) return;
    this.#count();
    this.#store(sql`delete from lane_stall where lane = any (${lanesOf(recovered)}::int[])`);
    if (this.#failing.size > 0 || this.#stall === null) return;
    const seconds = Math.round((performance.now() - this.#stall.sinceMs) / 100) / 10;
    this.#stall = null;
    readChannels(this.#db).then(
      (channels) => {
        const pendingOrders = channels.reduce((sum, { pending }) => sum + pending, 0);
        this.#log.info({ seconds, pendingOrders }, 'orders resumed');
      },
      () => this.#log.info({ seconds }, 'orders resumed'),
    );
  }

  /** Stores a note for the console. While the database is down, there is none to read it either. */
  #store(note: ReturnType<typeof sql>): void {
    this.#stored = this.#stored
      .then(() => note.execute(this.#db))
      .catch((error: unknown) => this.#log.debug({ err: error }, 'stall not recorded'));
  }

  #count(): void {
    this.#metrics.stalledLanes.set(lanesOf(this.#failing).length);
  }
}

const lanesOf = (parts: Iterable<Part>): number[] => [...parts].filter((part) => part !== 'sweep');
