import type { Database, Logger } from '@lockstep/platform';
import { sql } from 'kysely';
import { describeError } from '../applying/holds.ts';
import { readChannels } from '../channels/state.ts';
import type { OrderMetrics } from '../metrics.ts';

interface Stall {
  sinceMs: number;
  reason: string;
  logged: Set<string>;
}

const MAX_LOGGED_LANES = 100;

/** What can fail: a lane (by number) or the sweep. */
export type Part = number | 'sweep';

/**
 * Reports stalled lanes. Logs when a stall begins, when its reason changes and when it is over, but not each attempt.
 * Informs readiness and metrics, and the console through lane_stall.
 */
export class Stalls {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #metrics: OrderMetrics;
  readonly #failing = new Set<Part>();
  #stall: Stall | null = null;
  /** Makes writes to lane_stall run one after the other. */
  #stored: Promise<unknown> = Promise.resolve();

  constructor({ db, log, metrics }: { db: Database; log: Logger; metrics: OrderMetrics }) {
    this.#db = db;
    this.#log = log;
    this.#metrics = metrics;
  }

  /** Why orders are stalled; null if they aren't, as far as this process knows. */
  get reason(): string | null {
    return this.#stall?.reason ?? null;
  }

  failed(parts: readonly Part[], error: unknown): void {
    for (const part of parts) this.#failing.add(part);
    this.#count();
    const reason = describeError(error);
    const { sinceMs = performance.now(), logged = new Set<string>() } = this.#stall ?? {};
    if (!logged.has(reason)) {
      const lanes = lanesOf(this.#failing).slice(0, MAX_LOGGED_LANES);
      this.#log.error({ err: error, reason, lanes }, 'orders stalled; will retry');
    }
    this.#stall = { sinceMs, reason, logged: logged.add(reason) };
    this.#store(sql`
      insert into lane_stall (lane, last_error)
      select lane, ${reason} from unnest(${lanesOf(parts)}::int[]) as lane
      on conflict (lane) do update set seen_time = statement_timestamp(), last_error = excluded.last_error`);
  }

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

  /**
   * Stores a stall for the console. Errors don't matter: while the database is down, the console can't read it either.
   */
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
