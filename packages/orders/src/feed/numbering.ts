import { setTimeout as wait } from 'node:timers/promises';
import type { ApplicationId } from '@lockstep/contract';
import { type Database, type Logger, notify, run } from '@lockstep/platform';
import { EVENTS_CHANNEL } from './events.ts';

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

const NUMBER_EVENTS = {
  name: 'number_events',
  text: `
  with fresh as (
    delete from unnumbered_event where id in (
      select id from unnumbered_event order by id limit ${EVENTS_AT_ONCE} for update skip locked
    )
    returning *
  ), counter as (
    update event_counter set last_position = last_position + (select count(*) from fresh)
    where exists (select from fresh)
    returning last_position
  ), numbered as (
    insert into event (application_id, position, batch_id, type, completed_time, succeeded, failed, cancelled)
    select application_id, last_position - count(*) over () + row_number() over (order by id),
      batch_id, type, completed_time, succeeded, failed, cancelled
    from fresh cross join counter
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

/**
 * Numbers a process's events in the background, one statement at a time; events that arrive meanwhile go into the next
 * statement. The sweep of any worker numbers what a crash left.
 */
export class EventNumbering {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #onNumbered: ((applicationIds: readonly ApplicationId[]) => void) | undefined;
  #isWanted = false;
  #running: Promise<void> | null = null;
  #hasLoggedFailure = false;

  /** `onNumbered` receives the applications of the events that this process has just numbered. */
  constructor(options: {
    db: Database;
    log: Logger;
    onNumbered?: (applicationIds: readonly ApplicationId[]) => void;
  }) {
    this.#db = options.db;
    this.#log = options.log;
    this.#onNumbered = options.onNumbered;
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
        const { count, applicationIds } = await numberEvents(this.#db);
        this.#hasLoggedFailure = false;
        if (applicationIds.length > 0) this.#onNumbered?.(applicationIds);
        if (count === EVENTS_AT_ONCE) this.#isWanted = true;
        else await wait(PAUSE_MS);
      }
    } catch (error) {
      if (!this.#hasLoggedFailure) this.#log.warn({ err: error }, 'event numbering failed; will retry');
      this.#hasLoggedFailure = true;
    } finally {
      this.#running = null;
    }
  }
}
