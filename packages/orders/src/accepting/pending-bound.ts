import { type ApplicationId, Refusal } from '@lockstep/contract';
import { type Database, run } from '@lockstep/platform';
import { perSecondOf, secondsUntilBelow } from '../channels/estimates.ts';
import { type ChannelReader, shareFor } from '../channels/state.ts';

interface Full {
  application_id: ApplicationId;
  app_key: string;
  pending: number;
}

/**
 * Limits the pending orders of each application (rules 6.2). A process counts them at most once a second for all calls,
 * so the orders of one second may exceed the limit.
 */
export class PendingBound {
  readonly #db: Database;
  readonly #channels: ChannelReader;
  readonly #most: number;
  readonly #read: () => Promise<ReadonlyMap<ApplicationId, Full>>;

  constructor(db: Database, channels: ChannelReader, most: number) {
    this.#db = db;
    this.#channels = channels;
    this.#most = most;
    this.#read = shareFor(1_000, () => this.#findFull());
  }

  /** Returns a Refusal (overloaded) if an application may send no async orders now; otherwise null. */
  async findRefusal(applicationId: ApplicationId): Promise<Refusal | null> {
    const full = (await this.#read().catch(() => null))?.get(applicationId);
    if (full === undefined) return null;
    const refusal = new Refusal(
      'overloaded',
      `: ${full.pending} orders of your application are pending, and the limit is ${this.#most}`,
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
    const rows = await run<Full>(this.#db, { name: 'find_full', text: FIND_FULL, values: [this.#most] });
    return new Map(rows.map((row) => [row.application_id, row]));
  }
}

const FIND_FULL = `
  select application_id, app_key, pending::float8 from (
    select application_id, sum(pending) as pending from (
      select application_id, pending from pending_orders union all select application_id, pending from uncounted_activity
    ) as changes group by application_id having sum(pending) > $1::bigint
  ) as counted join application on application.id = application_id`;
