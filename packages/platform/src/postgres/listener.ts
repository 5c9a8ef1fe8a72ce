import pg from 'pg';
import { CONNECTION, sessionSettings } from './pool.ts';

const RECONNECT_MS = 1_000;

/** A subscriber to the notifications of one PostgreSQL channel. */
export interface Subscriber {
  /** The name for LISTEN, in lower-case letters and underscores. */
  channel: string;
  receive(payload: string): void;
}

interface ListenerOptions {
  url: string;
  /** The name of its session. */
  applicationName: string;
  subscribers: readonly Subscriber[];
  /** Called once when the connection is lost, not for each failed attempt to reconnect. */
  onLost: (error: unknown) => void;
}

/**
 * Listens to PostgreSQL channels over one connection of its own. Notifications sent while PostgreSQL is unavailable are
 * lost without a sign, so subscribers must also poll from time to time.
 */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #subscribers: ReadonlyMap<string, Subscriber>;
  #client: pg.Client | null = null;
  #reconnect: NodeJS.Timeout | undefined;
  #closed = false;
  /** Whether `onLost` has been called for this loss. */
  #isLost = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#subscribers = new Map(options.subscribers.map((subscriber) => [subscriber.channel, subscriber]));
  }

  /** Starts to listen. While PostgreSQL is unavailable, it keeps trying. */
  async start(): Promise<void> {
    if (this.#closed) return;
    const client = new pg.Client({
      ...CONNECTION,
      connectionString: this.#options.url,
      application_name: this.#options.applicationName,
    });
    client.on('notification', ({ channel, payload = '' }) => this.#subscribers.get(channel)?.receive(payload));
    const retry = (error?: unknown) => {
      // Removes only this listener, because others wait for the end too.
      client.off('end', ended);
      this.#retry(client, error);
    };
    const ended = () => retry();
    client.on('error', retry);
    client.on('end', ended);
    try {
      await client.connect();
      const listens = [...this.#subscribers.keys()].map((channel) => `listen ${channel}`);
      await client.query([sessionSettings(), ...listens].join('; '));
      if (this.#closed) return await client.end();
      this.#client = client;
      this.#isLost = false;
    } catch (error) {
      retry(error);
    }
  }

  /** Stops listening. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#reconnect);
    await this.#client?.end();
  }

  #retry(client: pg.Client, error?: unknown): void {
    if (this.#closed) return;
    if (error !== undefined && !this.#isLost) {
      this.#isLost = true;
      this.#options.onLost(error);
    }
    if (this.#client === client) this.#client = null;
    client.end().catch(() => {});
    clearTimeout(this.#reconnect);
    this.#reconnect = setTimeout(() => void this.start(), RECONNECT_MS);
  }
}

/** PostgreSQL accepts payloads of less than 8000 bytes. */
const MAX_PAYLOAD_CHARACTERS = 7_000;

/**
 * Returns SQL for a SELECT that notifies the listeners of a channel after the commit. `ids`: SQL for a text of
 * comma-separated ids; null sends no notification. If the ids do not fit into a notification, it is sent without any,
 * and every listener checks.
 */
export function notify(channel: string, ids: string): string {
  return `case when ${ids} is not null then
    pg_notify('${channel}', case when length(${ids}) <= ${MAX_PAYLOAD_CHARACTERS} then ${ids} else '' end)
  end`;
}

/** Returns the ids in a notification; null if it may concern any. */
export function readNotification(payload: string): string[] | null {
  return payload === '' ? null : payload.split(',');
}
