import pg from 'pg';
import { CONNECTION, sessionSettings } from './pool.ts';

const RECONNECT_MS = 1_000;

/** What wants to know of the notifications on a channel of PostgreSQL. */
export interface Subscriber {
  /** Its name for LISTEN, in lower-case letters and underscores. */
  channel: string;
  receive(payload: string): void;
}

interface ListenerOptions {
  url: string;
  /** What its session is called. */
  applicationName: string;
  subscribers: readonly Subscriber[];
  /** Hears once that the connection is lost, not with each attempt to get another one. */
  onLost: (error: unknown) => void;
}

/**
 * Listens to channels of PostgreSQL, over one connection of its own. Notifications are lost while PostgreSQL is away,
 * and nobody is told of that: subscribers have to look for themselves now and then.
 */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #subscribers: ReadonlyMap<string, Subscriber>;
  #client: pg.Client | null = null;
  #reconnect: NodeJS.Timeout | undefined;
  #closed = false;
  /** Whether `onLost` has been told already. */
  #isLost = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#subscribers = new Map(options.subscribers.map((subscriber) => [subscriber.channel, subscriber]));
  }

  /** Starts to listen. While PostgreSQL is away it goes on trying. */
  async start(): Promise<void> {
    if (this.#closed) return;
    const client = new pg.Client({
      ...CONNECTION,
      connectionString: this.#options.url,
      application_name: this.#options.applicationName,
    });
    client.on('notification', ({ channel, payload = '' }) => this.#subscribers.get(channel)?.receive(payload));
    const retry = (error?: unknown) => {
      // Others wait for its end as well: only this goes.
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

/** PostgreSQL takes payloads of less than 8000 bytes. */
const MAX_PAYLOAD_CHARACTERS = 7_000;

/**
 * For a SELECT: notifies the processes that listen to a channel, after the commit. `ids`: an SQL text of ids with
 * commas between them; null notifies nobody. More ids than a notification can hold are sent as none: everybody looks.
 */
export function notify(channel: string, ids: string): string {
  return `case when ${ids} is not null then
    pg_notify('${channel}', case when length(${ids}) <= ${MAX_PAYLOAD_CHARACTERS} then ${ids} else '' end)
  end`;
}

/** The ids of a notification; null: it may be about any. */
export function readNotification(payload: string): string[] | null {
  return payload === '' ? null : payload.split(',');
}
