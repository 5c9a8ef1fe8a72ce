import { setTimeout as wait } from 'node:timers/promises';
import { ORDERS_PER_BATCH } from '@lockstep/assets';
import type { ApplicationId } from '@lockstep/contract';
import { type Database, type Logger, notify, readNotification, run } from '@lockstep/platform';

/** The NOTIFY channel that carries the ids of applications with new events. */
export const EVENTS_CHANNEL = 'lockstep_events';
/** The NOTIFY channel that carries the ids of completed batches. */
export const COMPLETIONS_CHANNEL = 'lockstep_batch_ends';

/**
 * How long a process waits after each numbering. Each numbering costs a commit, as completing a batch does: without the
 * pause, sync calls of one order each take a quarter longer.
 */
const PAUSE_MS = 50;

const EVENTS_AT_ONCE = 1_000;

/**
 * Assigns feed positions to the oldest unnumbered events, and wakes the calls that wait for them or for their batches.
 * Returns how many events it numbered, and of which applications. Only this statement notifies: PostgreSQL commits
 * notifying transactions one at a time, and a drain must not wait for that.
 *
 * The statement commits by itself, so it locks the counter's row only while PostgreSQL runs it, even if this process
 * dies or hangs. The next numbering waits for that lock, so positions become visible in ascending order: once a reader
 * has seen a position, no lower one can appear. This requires commits to be durable before they are visible,
 * PostgreSQL's default (synchronous_commit).
 */
export async function numberEvents(db: Database): Promise<{ count: number; applicationIds: ApplicationId[] }> {
  const rows = await run<{ count: number; application_ids: ApplicationId[] }>(db, NUMBER_EVENTS);
  const { count, application_ids: applicationIds } = rows[0]!;
  return { count, applicationIds };
}

/**
 * For a FROM clause after `fresh`: who hears of a customer's licenses, and the customer's channel (rules 6.8). OFFSET
 * makes PostgreSQL look customers and batches up by index; a join might read the whole table.
 */
const LISTENERS = `
  cross join lateral (select channel_code from customer where id = fresh.customer_id offset 0) as customer
  cross join lateral (
    select id from application
    where status <> 'pending' and (customer.channel_code = any (channels) or (channels is null and hears_licenses))
      and (coalesce(fresh.lead_days, -1) < 0 or fresh.lead_days = any (application.lead_days))
      and id is distinct from coalesce(fresh.by_application_id, (
        select application_id from batch where batch.id = fresh.license_order_id / ${ORDERS_PER_BATCH}
      ))
    offset 0
  ) as listener`;

const NUMBER_EVENTS = {
  name: 'number_events',
  text: `
  with fresh as (
    delete from unnumbered_event where id in (
      select id from unnumbered_event order by id limit ${EVENTS_AT_ONCE} for update skip locked
    )
    returning *
  ), told as (
    select application_id, id, type, happened_time, batch_id, succeeded, failed, cancelled, null as channel_code, data
    from fresh where application_id is not null
    union all
    select listener.id, fresh.id, type, happened_time, null, null, null, null, channel_code, data
    from fresh ${LISTENERS} where fresh.application_id is null
  ), counter as (
    update event_counter set last_position = last_position + (select count(*) from told)
    where exists (select from told)
    returning last_position
  ), numbered as (
    insert into event (
      application_id, position, type, happened_time, batch_id, succeeded, failed, cancelled, channel_code, data
    )
    select application_id, last_position - count(*) over () + row_number() over (order by id, application_id),
      type, happened_time, batch_id, succeeded, failed, cancelled, channel_code, data
    from told cross join counter
    on conflict (batch_id) where type = 'batch.completed' do nothing
    returning application_id
  ), listed as (
    select (select count(*)::int from fresh) as count, coalesce(array_agg(distinct application_id::text), '{}') as
      application_ids, string_agg(distinct application_id::text, ',') as awaited,
      (select string_agg(batch_id::text, ',') from fresh) as ended
    from numbered
  )
  select count, application_ids, ${notify(EVENTS_CHANNEL, 'awaited')}, ${notify(COMPLETIONS_CHANNEL, 'ended')} from listed`,
  values: [],
};

interface NumberingOptions {
  db: Database;
  log: Logger;
  /** Receives the applications of the events that this process has just numbered. */
  onNumbered?: (applicationIds: readonly ApplicationId[]) => void;
}

/**
 * Numbers a process's events in the background, one statement at a time; events that arrive meanwhile go into the next
 * statement. The sweep of any worker numbers what a crash left.
 */
export class EventNumbering {
  readonly #options: NumberingOptions;
  #isWanted = false;
  #running: Promise<void> | null = null;
  #hasLoggedFailure = false;

  constructor(options: NumberingOptions) {
    this.#options = options;
  }

  /** Numbers the events committed so far. The caller does not wait; failures are logged. */
  number(): void {
    this.#isWanted = true;
    this.#running ??= this.#run();
  }

  /** Resolves when the requested numbering is done or has failed. */
  async settle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      while (this.#isWanted) {
        this.#isWanted = false;
        const { count, applicationIds } = await numberEvents(this.#options.db);
        this.#hasLoggedFailure = false;
        if (applicationIds.length > 0) this.#options.onNumbered?.(applicationIds);
        if (count === EVENTS_AT_ONCE) this.#isWanted = true;
        else await wait(PAUSE_MS);
      }
    } catch (error) {
      if (!this.#hasLoggedFailure) this.#options.log.warn({ err: error }, 'event numbering failed; will retry');
      this.#hasLoggedFailure = true;
    } finally {
      this.#running = null;
    }
  }
}

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
    const timer = setTimeout(end, Math.max(0, endMs - performance.now()));
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
