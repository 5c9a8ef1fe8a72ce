import { type ApplicationId, Refusal } from '@lockstep/contract';
import { type Database, run, share } from '@lockstep/platform';
import { type ChannelReader, secondsUntilBelow } from '../channels/state.ts';

/**
 * Limits the pending orders of each application (rules 6.2). A process counts them at most once a second for all calls
 * (see share), so the orders of meanwhile may exceed the limit.
 */
export class PendingBound {
  readonly #db: Database;
  readonly #channels: ChannelReader;
  readonly #most: number;
  readonly #read: () => Promise<ReadonlyMap<ApplicationId, number>>;

  constructor(db: Database, channels: ChannelReader, most: number) {
    this.#db = db;
    this.#channels = channels;
    this.#most = most;
    this.#read = share(() => this.#findFull());
  }

  /** Returns a Refusal (overloaded) if an application may send no async orders now; otherwise null. */
  async findRefusal(applicationId: ApplicationId): Promise<Refusal | null> {
    const pending = (await this.#read().catch(() => null))?.get(applicationId);
    if (pending === undefined) return null;
    const refusal = new Refusal(
      'overloaded',
      `: ${pending} orders of your application are pending, and the limit is ${this.#most}`,
    );
    const channels = await this.#channels.read().catch(() => []);
    refusal.retryAfterSeconds = secondsUntilBelow(pending - this.#most, applicationId, channels);
    return refusal;
  }

  async #findFull(): Promise<ReadonlyMap<ApplicationId, number>> {
    const rows = await run<{ application_id: ApplicationId; pending: number }>(this.#db, {
      name: 'find_full',
      text: FIND_FULL,
      values: [this.#most],
    });
    return new Map(rows.map((row) => [row.application_id, row.pending]));
  }
}

const FIND_FULL = `
  select application_id, sum(pending)::float8 as pending from (
    select application_id, pending from pending_orders union all select application_id, pending from uncounted_activity
  ) as changes group by application_id having sum(pending) > $1::bigint`;
