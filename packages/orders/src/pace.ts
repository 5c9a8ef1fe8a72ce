import { MAX_WEIGHT } from './prepare.ts';

/** How long a drain of a channel should take beside other active ones, and while it has the service for itself. */
const TURN_MS = { beside: 120, alone: 400 };
/** The least weight of a drain: below it, what each costs by itself counts. */
const MIN_WEIGHT = 250;
/** How much the newest drain counts in the mean. */
const NEWEST = 0.2;

/** How long a worker measures before it compares. */
const WINDOW_MS = 1_000;
/** How much faster all have to be with a worker for it to join the others. */
const GAIN = 1.1;
/** The pause before a worker tries to join the others. It doubles up to the longest. */
const TRY_PAUSE_MS = { first: 4_000, longest: 60_000 };
/** How long others may be between two drains. */
const BETWEEN_DRAINS_MS = 500;

/** What a worker sees of others that have precedence. */
export interface Peers {
  /** Channels that they drain the backlog of. */
  channels: ReadonlySet<number>;
  /** What the database has written in all: it grows with the orders that all of them apply. */
  writtenBytes: number;
}

/**
 * How much drains take, and which backlogs a worker drains at all, by what is measured.
 *
 * More drains at once than the machine has cores for make each of them slower, and every worker needs time until its code is
 * fast. So one worker drains the backlog of a channel, in all of its slots. Another one joins for a second now and then, and
 * stays if that makes all of them faster together.
 */
export class Pace {
  #weightPerMs = 2;
  #peers: ReadonlySet<number> = new Set();
  #peersSeenMs = Number.NEGATIVE_INFINITY;
  #joining: 'apart' | 'trying' | 'joined' = 'apart';
  #mark = { bytes: 0, ms: Number.NEGATIVE_INFINITY };
  #rateApart = 0;
  #nextTryMs = 0;
  #tryPauseMs = TRY_PAUSE_MS.first;

  /** Notes a drain. */
  drained(weight: number, tookMs: number): void {
    if (weight >= MIN_WEIGHT) this.#weightPerMs += NEWEST * (weight / tookMs - this.#weightPerMs);
  }

  /** What a drain may take while its channel has the service for itself, and beside others. */
  get maxWeight(): { alone: number; beside: number } {
    const inMs = (ms: number) => Math.max(MIN_WEIGHT, Math.min(MAX_WEIGHT, Math.round(this.#weightPerMs * ms)));
    return { alone: inMs(TURN_MS.alone), beside: inMs(TURN_MS.beside) };
  }

  /** Channels whose backlogs are left to other workers. */
  get elsewhere(): ReadonlySet<number> {
    return this.#joining === 'apart' ? this.#peers : new Set();
  }

  /** Notes what others do. Call it several times a second while a channel is behind. */
  looked({ channels, writtenBytes }: Peers, nowMs: number): void {
    if (channels.size > 0) this.#peersSeenMs = nowMs;
    else if (nowMs - this.#peersSeenMs < BETWEEN_DRAINS_MS) return;
    const wasAlone = this.#peers.size === 0;
    this.#peers = channels;
    if (channels.size === 0) return;
    if (wasAlone) {
      this.#joining = 'apart';
      this.#tryPauseMs = TRY_PAUSE_MS.first;
      this.#nextTryMs = nowMs + this.#tryPauseMs;
      this.#mark = { bytes: writtenBytes, ms: nowMs };
    }
    const ms = nowMs - this.#mark.ms;
    if (ms < WINDOW_MS) return;
    const rate = (writtenBytes - this.#mark.bytes) / ms;
    this.#mark = { bytes: writtenBytes, ms: nowMs };
    if (this.#joining === 'trying') this.#judge(rate, nowMs);
    else if (this.#joining === 'apart' && nowMs >= this.#nextTryMs) {
      this.#rateApart = rate;
      this.#joining = 'trying';
    }
  }

  #judge(rate: number, nowMs: number): void {
    this.#joining = rate >= GAIN * this.#rateApart ? 'joined' : 'apart';
    this.#nextTryMs = nowMs + this.#tryPauseMs;
    this.#tryPauseMs = Math.min(TRY_PAUSE_MS.longest, 2 * this.#tryPauseMs);
  }
}
