import { type ApplicationId, Refusal } from '@lockstep/contract';
import { type Database, together } from '@lockstep/platform';
import { countActivity, NOTES_AT_ONCE } from '../channels/count-activity.ts';
import { perSecondOf, secondsUntilBelow } from '../channels/estimates.ts';
import { type ChannelReader, shareFor } from '../channels/state.ts';

/** An application that has too many pending orders. */
interface Full {
  application_id: ApplicationId;
  app_key: string;
  pending: number;
}

/**
 * Bounds the pending orders of each application (rules 6.2). It counts them at most once a second for all calls of a
 * process, so what comes within a second may exceed the bound.
 */
export class PendingBound {
  readonly #db: Database;
  readonly #channels: ChannelReader;
  readonly #most: number;
  readonly #read: () => Promise<ReadonlyMap<ApplicationId, Full>>;
  #counting: Promise<void> | undefined;

  /** `most`: pending orders of an application. */
  constructor(db: Database, channels: ChannelReader, most: number) {
    this.#db = db;
    this.#channels = channels;
    this.#most = most;
    this.#read = shareFor(1_000, () => this.#findFull());
  }

  /** Finds out why an application may send no more async orders now: a Refusal (overloaded); null if it may. */
  async findRefusal(applicationId: ApplicationId): Promise<Refusal | null> {
    const full = (await this.#read().catch(() => null))?.get(applicationId);
    if (full === undefined) return null;
    const refusal = new Refusal(
      'overloaded',
      `: ${full.pending} orders of the application are pending, and ${this.#most} may be`,
    );
    const channels = await this.#channels.read().catch(() => []);
    const shares = channels.flatMap((channel) => {
      const own = channel.applications.find(({ appKey }) => appKey === full.app_key)?.pending ?? 0;
      return own === 0 ? [] : [{ share: own / channel.pending, perSecond: perSecondOf(channel) }];
    });
    refusal.retryAfterSeconds = secondsUntilBelow(full.pending - this.#most, shares);
    return refusal;
  }

  async #findFull(): Promise<ReadonlyMap<ApplicationId, Full>> {
    const [rows, [noted]] = await together<[Full, { notes: number }]>(this.#db, [
      { name: 'find_full', text: FIND_FULL, values: [this.#most] },
      { name: 'count_notes', text: COUNT_NOTES, values: [NOTES_AT_ONCE] },
    ]);
    // No worker adds them up.
    if (noted!.notes === NOTES_AT_ONCE) this.#addUp();
    return new Map(rows.map((row) => [row.application_id, row]));
  }

  /** Adds notes up, so that the next readings are quick. A failure only leaves them to the next. */
  #addUp(): void {
    this.#counting ??= countActivity(this.#db)
      .catch(() => {})
      .finally(() => {
        this.#counting = undefined;
      });
  }

  /** Finishes what it adds up. */
  async close(): Promise<void> {
    await this.#counting;
  }
}

const FIND_FULL = `
  select application_id, app_key, pending::float8 from (
    select application_id, sum(pending) as pending from (
      select application_id, pending from pending_orders union all select application_id, pending from uncounted_activity
    ) as changes group by application_id having sum(pending) > $1::bigint
  ) as counted join application on application.id = application_id`;

const COUNT_NOTES = `
  select count(*)::int as notes from (select from uncounted_activity limit $1::int) as noted`;
