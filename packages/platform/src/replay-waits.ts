import { setTimeout as delay } from 'node:timers/promises';
import type { LogPosition } from './log-position.ts';
import { lacksHalfARecord, type Sighting, shows } from './standby-rules.ts';

/** How often a standby is asked where it is while somebody waits for that. */
const ASK_EVERY_MS = 3;
/** The same while it is behind where somebody has waited for it in vain. */
const ASK_LATE_EVERY_MS = 25;

interface Waiting {
  position: LogPosition;
  settle: (isThere: boolean) => void;
}

/**
 * Waits for a standby that is a little behind: one asks for all. A standby that somebody has waited for in vain is late for all,
 * so nobody waits for it any more until it has come to where it was missed.
 */
export class ReplayWaits {
  readonly #options: { ask: () => Promise<Sighting>; completeRecord: () => Promise<void>; onFailure: () => void };
  readonly #waiting = new Set<Waiting>();
  readonly #closing = new AbortController();
  #missed: LogPosition | null = null;
  #isAsking = false;

  /**
   * @param options.completeRecord has the primary write the half of a record that the standby waits for
   * @param options.onFailure is called when the standby cannot be asked
   */
  constructor(options: { ask: () => Promise<Sighting>; completeRecord: () => Promise<void>; onFailure: () => void }) {
    this.#options = options;
  }

  /** Waits until the standby shows all that stands in front of a place, `patienceMs` at most. Returns whether it does. */
  async wait(position: LogPosition, patienceMs: number): Promise<boolean> {
    if (patienceMs <= 0 || this.#missed !== null || this.#closing.signal.aborted) return false;
    return await new Promise<boolean>((resolve) => {
      const waiting: Waiting = {
        position,
        settle: (isThere) => {
          clearTimeout(timer);
          this.#waiting.delete(waiting);
          resolve(isThere);
        },
      };
      const timer = setTimeout(() => {
        this.#missed = position;
        waiting.settle(false);
      }, patienceMs);
      this.#waiting.add(waiting);
      void this.#askForAll();
    });
  }

  /** Sends everybody to the primary, and forgets that the standby was late: something else is the matter with it. */
  giveUp(): void {
    this.#missed = null;
    for (const waiting of [...this.#waiting]) waiting.settle(false);
  }

  close(): void {
    this.#closing.abort();
    this.giveUp();
  }

  async #askForAll(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      while (this.#waiting.size > 0 || this.#missed !== null) {
        if (await this.#askOnce()) await this.#completeRecord();
        const pauseMs = this.#waiting.size > 0 ? ASK_EVERY_MS : ASK_LATE_EVERY_MS;
        if (this.#waiting.size > 0 || this.#missed !== null) {
          await delay(pauseMs, undefined, { signal: this.#closing.signal });
        }
      }
    } catch {
      // Whoever waits reads from the primary. The next look at the standby says what is the matter.
      this.giveUp();
      this.#options.onFailure();
    } finally {
      this.#isAsking = false;
    }
  }

  /** If the primary fails, so does the next mark, which says why: that is not the standby's fault. */
  async #completeRecord(): Promise<void> {
    await this.#options.completeRecord().catch(() => this.giveUp());
  }

  /** Asks once, and settles those for whom it is there. Returns whether it lacks the second half of a record. */
  async #askOnce(): Promise<boolean> {
    const sighting = await this.#options.ask();
    const nowMs = performance.now();
    for (const waiting of [...this.#waiting]) if (shows(sighting, waiting.position, nowMs)) waiting.settle(true);
    if (this.#missed !== null && shows(sighting, this.#missed, nowMs)) this.#missed = null;
    const wanted = [...this.#waiting].map(({ position }) => position);
    if (this.#missed !== null) wanted.push(this.#missed);
    return wanted.some((position) => lacksHalfARecord(sighting, position));
  }
}
