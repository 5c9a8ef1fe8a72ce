import type { Database } from '@lockstep/platform';
import type { Actor } from './operator.ts';

/** A change that an operator made. `before` and `after` never hold a password or a secret. */
export interface Change {
  /** What was done, as a stable word: `application.approved`, `batch.cancelled`. */
  action: string;
  /** What it was done to, such as an appKey or an id; null where the action says all. */
  target: string | null;
  /** What was there before, as far as it changed; null where there was nothing. */
  before: unknown;
  /** What was there after it. */
  after: unknown;
}

/** Adds a change to the record of operators: in the transaction that makes it, so that neither exists without the other. */
export async function recordChange(db: Database, { operatorId, requestId }: Actor, change: Change): Promise<void> {
  await db
    .insertInto('operator_record')
    .values({
      operator_id: operatorId,
      action: change.action,
      target: change.target,
      before: change.before === null ? null : JSON.stringify(change.before),
      after: change.after === null ? null : JSON.stringify(change.after),
      request_id: requestId,
    })
    .execute();
}
