import type { Database, Trx } from '@lockstep/platform';
import { sql } from 'kysely';
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

/**
 * Adds a change to the record of operators: in the transaction that makes it, so that neither exists without the other.
 */
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

/**
 * A call that changes an employee for an operator or the command: both records keep it under one request id, that of
 * the enterprise and that of operators.
 */
export function recordedCall(actor: Actor, action: string) {
  return {
    requestId: actor.requestId,
    record: (trx: Trx, { memberId, account, enterpriseId }: ChangedMember) =>
      recordChange(trx, actor, {
        action,
        target: memberId,
        before: null,
        after: { enterpriseGlobalId: enterpriseId, account },
      }),
  };
}

interface ChangedMember {
  memberId: string;
  account: string;
  enterpriseId: string;
}

/** What is recorded of an order that an operator has ended, and that may be put back. */
const FAILED = { state: 'failed', cause: 'internal_error' };
const PENDING = { state: 'pending' };

/** Records that an operator paused a channel. Call it in the transaction that does. */
export function recordPaused(trx: Trx, actor: Actor, { code, reason }: { code: string; reason: string }) {
  return recordChange(trx, actor, {
    action: 'channel.paused',
    target: code,
    before: { isPaused: false },
    after: { isPaused: true, reason },
  });
}

/** Records that an operator resumed a channel. Call it in the transaction that does. */
export function recordResumed(trx: Trx, actor: Actor, code: string) {
  return recordChange(trx, actor, {
    action: 'channel.resumed',
    target: code,
    before: { isPaused: true },
    after: { isPaused: false },
  });
}

/** Records that an operator ended pending orders, an entry for each. Call it in the transaction that ends them. */
export function recordFailed(
  trx: Trx,
  actor: Actor,
  { licenseOrderIds, reason }: { licenseOrderIds: readonly string[]; reason: string },
): Promise<void> {
  return recordOrders(trx, actor, licenseOrderIds, {
    action: 'order.failed',
    before: PENDING,
    after: { ...FAILED, reason },
  });
}

/** Records that an operator put failed orders back, an entry for each. Call it in the transaction that does. */
export function recordRetried(trx: Trx, actor: Actor, licenseOrderIds: readonly string[]): Promise<void> {
  return recordOrders(trx, actor, licenseOrderIds, { action: 'order.retried', before: FAILED, after: PENDING });
}

async function recordOrders(
  trx: Trx,
  { operatorId, name, requestId }: Actor,
  licenseOrderIds: readonly string[],
  { action, before, after }: Omit<Change, 'target'>,
): Promise<void> {
  await sql`
    insert into operator_record (operator_id, actor, action, target, before, after, request_id)
    select ${operatorId}::bigint, ${operatorId === null ? name : null}::text, ${action}, id,
      ${JSON.stringify(before)}::json, ${JSON.stringify(after)}::json, ${requestId}
    from unnest(${licenseOrderIds}::text[]) as id`.execute(trx);
}
