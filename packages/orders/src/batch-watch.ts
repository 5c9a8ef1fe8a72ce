import type { Database, Logger } from '@lockstep/platform';
import { sql } from 'kysely';
import pg from 'pg';

const CHANNEL = 'lockstep_batch_progress';
/** PostgreSQL takes payloads of less than 8000 bytes; above it everybody looks. */
const MAX_PAYLOAD_CHARACTERS = 7_000;
/** How often a waiting call looks for itself, should a notification be lost. */
const LOOK_AGAIN_MS = 1_000;
const RECONNECT_MS = 1_000;
const CONNECT_TIMEOUT_MS = 5_000;

/** Tells whoever waits for these batches, in any process, that some of their orders have finished. */
export async function notifyProgress(db: Database, batchIds: string[]): Promise<void> {
  const list = batchIds.join(',');
  await sql`select pg_notify(${CHANNEL}, ${list.length <= MAX_PAYLOAD_CHARACTERS ? list : ''})`.execute(db);
}

/** Lets calls wait for the progress of a batch (decisions 6.4), over one LISTEN connection a process. */
export class BatchWatch {
  readonly #url: string;
  readonly #log: Logger;
  readonly #waiting = new Map<string, Set<() => void>>();
  #client: pg.Client | null = null;
  #reconnect: NodeJS.Timeout | undefined;
  #isLost = false;
  #closed = false;

  constructor(url: string, log: Logger) {
    this.#url = url;
    this.#log = log;
  }

  /** Starts to listen; goes on trying where PostgreSQL is away, while waiting calls look for themselves. */
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
      await client.query(`listen ${CHANNEL}`);
      if (this.#closed) return await client.end();
      this.#client = client;
      this.#isLost = false;
    } catch (error) {
      this.#retry(client, error);
    }
  }

  /**
   * Resolves when the batch makes progress, when it is time to look again, at `deadlineMs` (a time of performance.now)
   * or when this process stops, whichever is first.
   */
  progressOf(batchId: string, deadlineMs: number, signal: AbortSignal): Promise<void> {
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

  /** Whether the process stops, so that nobody should wait any longer. */
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
    const batchIds = payload ? payload.split(',') : [...this.#waiting.keys()];
    for (const batchId of batchIds) for (const wake of [...(this.#waiting.get(batchId) ?? [])]) wake();
  }

  #forget(batchId: string, wake: () => void): void {
    const waiting = this.#waiting.get(batchId);
    waiting?.delete(wake);
    if (waiting?.size === 0) this.#waiting.delete(batchId);
  }

  #retry(client: pg.Client, error?: unknown): void {
    if (this.#closed) return;
    // It goes on trying every second, and says so once.
    if (error !== undefined && !this.#isLost) {
      this.#log.warn({ err: error }, 'lost the connection that listens for finished orders');
      this.#isLost = true;
    }
    if (this.#client === client) this.#client = null;
    client.removeAllListeners('end');
    client.end().catch(() => {});
    clearTimeout(this.#reconnect);
    this.#reconnect = setTimeout(() => void this.start(), RECONNECT_MS);
  }
}
