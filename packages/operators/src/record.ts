import type { Database, Trx } from '@lockstep/platform';
import type { Actor } from './operator.ts';

/** Something that an operator or the command did. `before` and `after` never hold a password or a secret. */
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
export async function recordChange(
  db: Database,
  { operatorId, name, requestId }: Actor,
  change: Change,
): Promise<void> {
  await db
    .insertInto('operator_record')
    .values({
      operator_id: operatorId,
      actor: operatorId === null ? name : null,
      action: change.action,
      target: change.target,
      before: change.before === null ? null : JSON.stringify(change.before),
      after: change.after === null ? null : JSON.stringify(change.after),
      request_id: requestId,
    })
    .execute();
}

/** Records that an operator ended pending orders, a record for each. Call it in the transaction that ends them. */
export async function recordFailed(
  trx: Trx,
  actor: Actor,
  { licenseOrderIds, reason }: { licenseOrderIds: readonly string[]; reason: string },
): Promise<void> {
  for (const target of licenseOrderIds) {
    const after = { state: 'failed', cause: 'internal_error', reason };
    await recordChange(trx, actor, { action: 'order.failed', target, before: { state: 'pending' }, after });
  }
}
