import type { ApplicationId } from '@lockstep/contract';
import { type Database, type Logger, notify, run } from '@lockstep/platform';
import { ENDS_CHANNEL } from './batch-watch.ts';
import { EVENTS_CHANNEL } from './event-watch.ts';

/**
 * How long after a numbering a process waits before the next one. Each costs a commit, as an end of a batch does:
 * without a pause, sync calls of one order each would take a quarter longer.
 */
const PAUSE_MS = 50;

/** Events that one statement numbers at most. */
const EVENTS_AT_ONCE = 1_000;

/**
 * Gives the oldest events without one their position in the feed, and wakes who waits for them or for the ends of their
 * batches. Returns how many it were, and of which applications. Only this statement notifies: PostgreSQL commits
 * transactions that notify one after the other, and a drain must not wait for that.
 *
 * It sees only what is committed, and it is one statement that commits by itself, so it holds the counter's row for no
 * longer than PostgreSQL needs, even if this process dies or hangs meanwhile. Whoever numbers next waits for that row
 * until this commit, so positions become visible in their order: behind the last one that a reader sees none appears
 * that is lower. This needs a commit that is durable before it is visible, which is how PostgreSQL commits unless it is
 * told not to wait for the disk.
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
  select count, application_ids, ${notify(EVENTS_CHANNEL, 'awaited')}, ${notify(ENDS_CHANNEL, 'ended')} from listed`,
  values: [],
};

/**
 * Numbers the events of a process, beside its other work: one statement at a time, with what has gathered meanwhile.
 * What a process does not come to, the sweep of any worker numbers.
 */
export class EventNumbering {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #onNumbered: ((applicationIds: readonly ApplicationId[]) => void) | undefined;
  #isWanted = false;
  #isHurried = false;
  #endPause = () => {};
  #running: Promise<void> | null = null;
  #toldOfFailure = false;

  /** `onNumbered`: told of which applications there are events, whenever this process has numbered some. */
  constructor(options: {
    db: Database;
    log: Logger;
    onNumbered?: (applicationIds: readonly ApplicationId[]) => void;
  }) {
    this.#db = options.db;
    this.#log = options.log;
    this.#onNumbered = options.onNumbered;
  }

  /** Numbers what is committed now. The caller does not wait for it, and its failure is nobody's. */
  number(): void {
    this.#isWanted = true;
    this.#running ??= this.#run();
  }

  /** Resolves when what was wanted so far is numbered, or this has failed. It waits for no pause. */
  async settle(): Promise<void> {
    this.#isHurried = true;
    this.#endPause();
    await this.#running;
    this.#isHurried = false;
  }

  async #run(): Promise<void> {
    try {
      while (this.#isWanted) {
        this.#isWanted = false;
        const { count, applicationIds } = await numberEvents(this.#db);
        this.#toldOfFailure = false;
        if (applicationIds.length > 0) this.#onNumbered?.(applicationIds);
        if (count === EVENTS_AT_ONCE) this.#isWanted = true;
        else await this.#pause();
      }
    } catch (error) {
      if (!this.#toldOfFailure) this.#log.warn({ err: error }, 'event numbering failed; will retry');
      this.#toldOfFailure = true;
    } finally {
      this.#running = null;
    }
  }

  /** Lets gather what ends meanwhile. */
  async #pause(): Promise<void> {
    if (this.#isHurried) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, PAUSE_MS);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
