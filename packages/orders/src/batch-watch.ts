import type { BatchId } from '@lockstep/contract';
import type { Logger } from '@lockstep/platform';
import pg from 'pg';

/** The NOTIFY channel on which the ids of ended batches come, with commas between them; none: everybody looks. */
export const ENDS_CHANNEL = 'lockstep_batch_ends';
/** PostgreSQL takes payloads of less than 8000 bytes. */
export const MAX_PAYLOAD_CHARACTERS = 7_000;
/** How often a waiting call looks for itself, should a notification be lost. */
const LOOK_AGAIN_MS = 1_000;
const RECONNECT_MS = 1_000;
const CONNECT_TIMEOUT_MS = 5_000;

/** Lets calls wait for the end of a batch (rules 6.4), over one LISTEN connection a process. */
export class BatchWatch {
  readonly #url: string;
  readonly #log: Logger;
  readonly #waiting = new Map<BatchId, Set<() => void>>();
  #client: pg.Client | null = null;
  #reconnect: NodeJS.Timeout | undefined;
  #closed = false;
  /** Whether the log says already that the connection is lost: once, not with each attempt to get another one. */
  #isLost = false;

  constructor(url: string, log: Logger) {
    this.#url = url;
    this.#log = log;
  }

  /** Starts to listen. While PostgreSQL is away it goes on trying, and waiting calls look for themselves. */
  async start(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: 'lockstep-watch',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    client.on('notification', ({ payload }) => this.#wake(payload));
    client.on('error', (error) => this.#retry(client, error));
    client.on('end', () => this.#retry(client));
    try {
      await client.connect();
      await client.query(`listen ${ENDS_CHANNEL}`);
      if (this.#closed) return await client.end();
      this.#client = client;
      this.#isLost = false;
    } catch (error) {
      this.#retry(client, error);
    }
  }

  /**
   * Resolves when the batch ends, when it is time to look again, at `deadlineMs` (a time of performance.now), when
   * `signal` aborts or when this process stops, whichever is first.
   */
  waitForEnd(batchId: BatchId, deadlineMs: number, signal: AbortSignal): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        this.#forget(batchId, wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.max(0, Math.min(LOOK_AGAIN_MS, deadlineMs - performance.now())));
      signal.addEventListener('abort', wake);
      const others = this.#waiting.get(batchId);
      if (others === undefined) this.#waiting.set(batchId, new Set([wake]));
      else others.add(wake);
    });
  }

  /** Whether the process stops: nobody should wait any longer. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** Wakes everybody and stops listening. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#reconnect);
    this.#wake('');
    await this.#client?.end();
  }

  #wake(payload: string | undefined): void {
    const batchIds = payload ? (payload.split(',') as BatchId[]) : [...this.#waiting.keys()];
    for (const batchId of batchIds) for (const wake of [...(this.#waiting.get(batchId) ?? [])]) wake();
  }

  #forget(batchId: BatchId, wake: () => void): void {
    const waiting = this.#waiting.get(batchId);
    waiting?.delete(wake);
    if (waiting?.size === 0) this.#waiting.delete(batchId);
  }

  #retry(client: pg.Client, error?: unknown): void {
    if (this.#closed) return;
    if (error !== undefined && !this.#isLost) {
      this.#isLost = true;
      this.#log.warn({ err: error }, 'lost the connection that listens for ends of batches');
    }
    if (this.#client === client) this.#client = null;
    client.removeAllListeners('end');
    client.end().catch(() => {});
    clearTimeout(this.#reconnect);
    this.#reconnect = setTimeout(() => void this.start(), RECONNECT_MS);
  }
}
