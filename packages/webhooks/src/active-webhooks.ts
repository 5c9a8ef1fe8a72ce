import type { ApplicationId } from '@lockstep/contract';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';

/** How old the answer may be. Workers look for themselves each second anyway. */
const GOOD_FOR_MS = 1_000;

/** Knows which applications have webhooks to which events go, so that most ends of batches cost nothing more. */
export class ActiveWebhooks {
  readonly #applicationIds: LRUCache<'all', ReadonlySet<ApplicationId>>;

  constructor(db: Database) {
    this.#applicationIds = new LRUCache({ max: 1, ttl: GOOD_FOR_MS, fetchMethod: () => readApplicationIds(db) });
  }

  /** Whether one of the applications had such a webhook when this was read, a second ago at most. */
  async haveAny(applicationIds: Iterable<ApplicationId>): Promise<boolean> {
    const known = await this.#applicationIds.forceFetch('all');
    for (const applicationId of applicationIds) if (known.has(applicationId)) return true;
    return false;
  }
}

async function readApplicationIds(db: Database): Promise<ReadonlySet<ApplicationId>> {
  const { rows } = await sql<{ application_id: ApplicationId }>`
    select distinct application_id from webhook where deleted_time is null and disabled_time is null`.execute(db);
  return new Set(rows.map(({ application_id }) => application_id));
}
