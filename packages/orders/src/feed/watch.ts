import { readNotification } from '@lockstep/platform';

/** How often a process looks for news for all its waiting calls, in case a notification was lost. */
const LOOK_AGAIN_MS = 1_000;

/** What calls that were woken together are reading, by a name that they choose, so that they read it once. */
export type Shared = Map<string, Promise<unknown>>;

/**
 * Lets calls wait for news of a key: of a batch, that it is completed; of an application, that it has events (rules 6.4
 * and 6.8). A Listener passes on the notifications. A waiting call costs one timer and no statement.
 */
export class Watch<Key extends string> {
  readonly channel: string;
  readonly #findNews: (keys: Key[]) => Promise<readonly Key[]>;
  readonly #waiting = new Map<Key, Set<(shared: Shared) => void>>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** `channel`: the NOTIFY channel that carries keys. `findNews` returns those of some keys that may have news. */
  constructor(channel: string, findNews: (keys: Key[]) => Promise<readonly Key[]>) {
    this.channel = channel;
    this.#findNews = findNews;
  }

  /**
   * Reads until `isEnough`. Between the reads it waits for news of `key`. The last read is after `waitSeconds`. If
   * `signal` aborts or the process shuts down, it returns what it has read so far.
   */
  async read<Found>(
    { key, waitSeconds, signal }: { key: Key; waitSeconds: number; signal: AbortSignal },
    read: (shared: Shared) => Promise<Found>,
    isEnough: (found: Found) => boolean,
  ): Promise<Found> {
    const endMs = performance.now() + waitSeconds * 1_000;
    let shared: Shared = new Map();
    for (;;) {
      const mayWait = !this.#isClosed && !signal.aborted && performance.now() < endMs;
      // Waits before it reads, so that it can't miss news in between.
      const waiting = mayWait ? this.#wait(key, endMs, signal) : null;
      try {
        const found = await read(shared);
        if (waiting === null || isEnough(found)) return found;
        shared = await waiting.woken;
        if (signal.aborted || this.#isClosed) return found;
      } finally {
        waiting?.stop();
      }
    }
  }

  receive(payload: string): void {
    const keys = readNotification(payload) as Key[] | null;
    if (keys === null) void this.#look();
    else for (const key of keys) this.#wake(key);
  }

  /** Wakes all waiting calls and lets no more calls wait. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const key of [...this.#waiting.keys()]) this.#wake(key);
  }

  #wait(key: Key, endMs: number, signal: AbortSignal): { woken: Promise<Shared>; stop: () => void } {
    const { promise: woken, resolve } = Promise.withResolvers<Shared>();
    const end = () => resolve(new Map());
    const timer = setTimeout(end, endMs - performance.now());
    signal.addEventListener('abort', end);
    const others = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, others.add(resolve));
    this.#timer ??= setTimeout(() => void this.#lookForLost(), LOOK_AGAIN_MS);
    const stop = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      others.delete(resolve);
      if (others.size === 0 && this.#waiting.get(key) === others) this.#waiting.delete(key);
    };
    return { woken, stop };
  }

  #wake(key: Key): void {
    const shared: Shared = new Map();
    for (const wake of this.#waiting.get(key) ?? []) wake(shared);
  }

  async #look(): Promise<void> {
    const asked = new Set(this.#waiting.keys());
    const news = await this.#findNews([...asked]).catch(() => null);
    // After an error, the next look finds the same news.
    if (news === null) return;
    // A call that began to wait during the look may have read before news that the look has passed over.
    const unasked = [...this.#waiting.keys()].filter((key) => !asked.has(key));
    for (const key of [...news, ...unasked]) this.#wake(key);
  }

  async #lookForLost(): Promise<void> {
    await this.#look();
    this.#timer = undefined;
    if (this.#isClosed || this.#waiting.size === 0) return;
    this.#timer = setTimeout(() => void this.#lookForLost(), LOOK_AGAIN_MS);
  }
}
