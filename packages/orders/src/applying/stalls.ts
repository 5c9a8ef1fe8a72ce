import { type Database, describeError, type Logger } from '@lockstep/platform';
import { readChannels } from '../channels/state.ts';
import { readHoldsAndStalls } from '../metrics.ts';

/** Knows whether orders are stalled, for readiness. Logs when that begins, when the reason changes and when it ends. */
export class Stalls {
  readonly #db: Database;
  readonly #log: Logger;
  #stall: { sinceMs: number; reason: string; logged: Set<string> } | null = null;

  constructor(db: Database, log: Logger) {
    this.#db = db;
    this.#log = log;
  }

  /** Why orders are stalled, as of the last look; null if they aren't. */
  get reason(): string | null {
    return this.#stall?.reason ?? null;
  }

  /** Looks whether the drains of lanes keep failing. Returns false if it can't find out, which is a stall, too. */
  async look(): Promise<boolean> {
    try {
      const { stalledLanes, stalledBy } = await readHoldsAndStalls(this.#db);
      if (stalledBy === null) await this.#end();
      else this.#begin(stalledBy, { lanes: stalledLanes });
      return true;
    } catch (error) {
      this.#begin(describeError(error), { err: error });
      return false;
    }
  }

  #begin(reason: string, fields: object): void {
    const { sinceMs = performance.now(), logged = new Set<string>() } = this.#stall ?? {};
    if (!logged.has(reason)) this.#log.error({ ...fields, reason }, 'orders stalled; will retry');
    this.#stall = { sinceMs, reason, logged: logged.add(reason) };
  }

  async #end(): Promise<void> {
    if (this.#stall === null) return;
    const seconds = Math.round((performance.now() - this.#stall.sinceMs) / 100) / 10;
    const channels = await readChannels(this.#db);
    this.#stall = null;
    const pendingOrders = channels.reduce((sum, { pending }) => sum + pending, 0);
    this.#log.info({ seconds, pendingOrders }, 'orders resumed');
  }
}
