import type { ApplicationId } from '@lockstep/contract';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';

/** How old the answer may be. Workers look for themselves each second anyway. */
const GOOD_FOR_MS = 1_000;

/** Knows which applications have webhooks to which events go, so that most ends of batches cost nothing more. */
export class ActiveWebhooks {
  readonly #db: Database;
  #applicationIds: Promise<ReadonlySet<ApplicationId>> | null = null;
  #readMs = Number.NEGATIVE_INFINITY;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Whether one of the applications had such a webhook when this was read, a second ago at most. */
  async haveAny(applicationIds: Iterable<ApplicationId>): Promise<boolean> {
    const nowMs = performance.now();
    if (this.#applicationIds === null || nowMs - this.#readMs > GOOD_FOR_MS) {
      this.#readMs = nowMs;
      this.#applicationIds = this.#read();
      this.#applicationIds.catch(() => {
        this.#applicationIds = null;
      });
    }
    const known = await this.#applicationIds;
    for (const applicationId of applicationIds) if (known.has(applicationId)) return true;
    return false;
  }

  async #read(): Promise<ReadonlySet<ApplicationId>> {
    const { rows } = await sql<{ application_id: ApplicationId }>`
      select distinct application_id from webhook where deleted_time is null and disabled_time is null`.execute(
      this.#db,
    );
    return new Set(rows.map(({ application_id }) => application_id));
  }
}
