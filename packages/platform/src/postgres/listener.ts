import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { CONNECTION, sessionSettings } from './pool.ts';

const RECONNECT_MS = 1_000;

interface ListenerOptions {
  url: string;
  /** The name of its session. */
  applicationName: string;
  /** Each gets the notifications of a channel, whose name has lower-case letters and underscores. */
  subscribers: readonly { channel: string; receive(payload: string): void }[];
  /** Called once when the connection is lost, not for each failed attempt to reconnect. */
  onLost: (error: unknown) => void;
}

/**
 * Listens to PostgreSQL channels over one connection of its own. Notifications sent while PostgreSQL is unavailable are
 * lost without a sign, so subscribers must also poll from time to time.
 */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #closing = new AbortController();
  readonly #listening = Promise.withResolvers<void>();
  #running: Promise<void> | undefined;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  /** Starts to listen. Resolves when it listens or is closed; while PostgreSQL is unavailable, it keeps trying. */
  start(): Promise<void> {
    this.#running ??= this.#run();
    return this.#listening.promise;
  }

  /** Stops listening. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#listening.resolve();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    let isLost = false;
    while (!signal.aborted) {
      const client = new pg.Client({
        ...CONNECTION,
        connectionString: this.#options.url,
        application_name: this.#options.applicationName,
      });
      // Rejects with the error that ends the connection, and when the listener is closed: a client that is ended while
      // it connects never says so.
      const ended = once(client, 'end', { signal });
      ended.catch(() => {});
      client.on('error', () => {});
      try {
        await Promise.race([this.#listen(client), ended]);
        isLost = false;
        this.#listening.resolve();
        await ended;
      } catch (error) {
        if (!isLost && !signal.aborted) this.#options.onLost(error);
        isLost = true;
      }
      void client.end().catch(() => {});
      await delay(RECONNECT_MS, undefined, { signal }).catch(() => {});
    }
  }

  async #listen(client: pg.Client): Promise<void> {
    const { subscribers } = this.#options;
    client.on('notification', ({ channel, payload = '' }) => {
      for (const subscriber of subscribers) if (subscriber.channel === channel) subscriber.receive(payload);
    });
    await client.connect();
    await client.query([sessionSettings(), ...subscribers.map(({ channel }) => `listen ${channel}`)].join('; '));
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
