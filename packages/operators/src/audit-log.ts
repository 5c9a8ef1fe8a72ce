import type { BatchId } from '@lockstep/contract';
import type { ConsoleData, ConsoleRequest } from '@lockstep/contract/console';
import { type Database, inMs, inTransaction, ListCursor, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import type { Actor, Operator } from './operator.ts';

const SHOWN_DIGITS = 4;

/** Hides a security mobile number except for its last digits; hides a short number completely. */
export function hideMobile(mobile: string): string {
  const shown = mobile.length > SHOWN_DIGITS ? mobile.slice(-SHOWN_DIGITS) : '';
  return '•'.repeat(mobile.length - shown.length) + shown;
}

/** An audit log entry of what an operator or the command did. `before` and `after` hold no password or secret. */
interface Change {
  /** The action, as a stable word: `application.approved`, `batch.cancelled`. */
  action: string;
  /** The appKey, id or name of what it changed; null if the action says it all. */
  target: string | null;
  /** The changed fields before, if there were any. */
  before?: unknown;
  /** The changed fields after. */
  after?: unknown;
}

/** Adds an entry to the audit log of operators. Call it in the transaction of the change. */
export function recordChange(db: Database, actor: Actor, { target, ...change }: Change): Promise<void> {
  return recordChanges(db, actor, [target], change);
}

/** Adds the same entry for each target. */
async function recordChanges(
  db: Database,
  { operatorId, name, requestId }: Actor,
  targets: readonly Change['target'][],
  { action, before = null, after = null }: Omit<Change, 'target'>,
): Promise<void> {
  const json = (fields: unknown) => (fields === null ? null : JSON.stringify(fields));
  await sql`
    insert into operator_audit (operator_id, actor, action, target, before, after, request_id)
    select ${operatorId}::bigint, ${operatorId === null ? name : null}::text, ${action}, target,
      ${json(before)}::json, ${json(after)}::json, ${requestId}
    from unnest(${targets}::text[]) as target`.execute(db);
}

/**
 * Describes a call that changes an employee for an operator or the command. The audit logs of the enterprise and of
 * operators have it under one request id.
 */
export function recordedCall(actor: Actor, action: string) {
  return {
    requestId: actor.requestId,
    record: (
      trx: Trx,
      { memberId: target, account, enterpriseId }: Record<'memberId' | 'account' | 'enterpriseId', string>,
    ) => recordChange(trx, actor, { action, target, after: { enterpriseGlobalId: enterpriseId, account } }),
  };
}

/** An order that an operator failed, and may retry, in the audit log. */
const FAILED = { state: 'failed', cause: 'internal_error' };
const PENDING = { state: 'pending' };

/** Adds that an operator paused a channel. Call it in that transaction. */
export function recordPaused(trx: Trx, actor: Actor, { code, reason }: { code: string; reason: string }) {
  return recordChange(trx, actor, {
    action: 'channel.paused',
    target: code,
    before: { isPaused: false },
    after: { isPaused: true, reason },
  });
}

/** Adds that an operator set the security mobile number of an enterprise. Call it in that transaction. */
export function recordMobileSet(
  trx: Trx,
  actor: Actor,
  { enterpriseId, before, after }: { enterpriseId: string; before: string | null; after: string },
): Promise<void> {
  return recordChange(trx, actor, {
    action: 'enterprise.mobile_set',
    target: enterpriseId,
    before: { securityMobile: before && hideMobile(before) },
    after: { securityMobile: hideMobile(after) },
  });
}

/** Adds that an operator resumed a channel. Call it in that transaction. */
export function recordResumed(trx: Trx, actor: Actor, code: string) {
  return recordChange(trx, actor, {
    action: 'channel.resumed',
    target: code,
    before: { isPaused: true },
    after: { isPaused: false },
  });
}

/** Adds an entry for each pending order that an operator failed. Call it in that transaction. */
export function recordFailed(
  trx: Trx,
  actor: Actor,
  { licenseOrderIds, reason }: { licenseOrderIds: readonly string[]; reason: string },
): Promise<void> {
  return recordChanges(trx, actor, licenseOrderIds, {
    action: 'order.failed',
    before: PENDING,
    after: { ...FAILED, reason },
  });
}

/** Adds an entry for each failed or held order that an operator retried. Call it in that transaction. */
export function recordRetried(
  trx: Trx,
  actor: Actor,
  licenseOrderIds: readonly string[],
  before: { state: string } = FAILED,
): Promise<void> {
  return recordChanges(trx, actor, licenseOrderIds, { action: 'order.retried', before, after: PENDING });
}

/**
 * Lists the audit log, newest first; for an operator who is limited to channels, only their own entries. Throws a
 * WrongCursor.
 */
export async function listAuditLog(
  db: Database,
  viewer: Operator,
  { limit, cursor, ...filters }: ConsoleRequest<'listAuditLog'>['query'],
): Promise<ConsoleData<'listAuditLog'>> {
  const { operator, action, target, recordedFrom: from, recordedTo: to } = filters;
  const cursors = new ListCursor(['auditLog', filters], cursor);
  const rows = await db
    .selectFrom('operator_audit as entry')
    .leftJoin('operator', 'operator.id', 'entry.operator_id')
    .select(['entry.id as entryId', 'operator.name as operator', 'actor', 'action', 'target', 'before', 'after'])
    .select([inMs('recorded_time').as('time'), 'request_id as requestId'])
    // Compares the id instead of the joined name, so that PostgreSQL can use the index of an operator's entries.
    .$if(operator !== undefined, (query) =>
      query.where('entry.operator_id', '=', ({ selectFrom }) =>
        selectFrom('operator as wanted').select('wanted.id').where('wanted.name', '=', operator!),
      ),
    )
    .$if(viewer.channels !== null, (query) => query.where('entry.operator_id', '=', viewer.operatorId))
    .$if(action !== undefined, (query) => query.where('action', '=', action!))
    .$if(target !== undefined, (query) => query.where('target', '=', target!))
    .$if(from !== undefined, (query) => query.where('recorded_time', '>=', new Date(from!)))
    .$if(to !== undefined, (query) => query.where('recorded_time', '<', new Date(to! + 1)))
    .$if(cursors.after !== null, (query) => query.where('entry.id', '<', cursors.after![0]!))
    .orderBy('entry.id', 'desc')
    .limit(limit + 1)
    .execute();
  const { page: entries, nextCursor } = cursors.cut(rows, limit, ({ entryId }) => [entryId]);
  return { entries, nextCursor };
}

/** Returns who paused these channels last, and why, by code. */
export async function readPauseReasons(db: Database, codes: readonly string[]) {
  const { rows } = await sql<{ code: string; pausedBy: string; reason: string }>`
    select distinct on (target) target as code, coalesce(name, actor) as "pausedBy", after ->> 'reason' as reason
    from operator_audit as entry left join operator on operator.id = operator_id
    where action = 'channel.paused' and target = any (${codes}::text[])
    order by target, entry.id desc`.execute(db);
  return new Map(rows.map(({ code, ...pause }) => [code, pause]));
}

/** How many resends of a batch to read at most: the newest. */
const MAX_RESENDS = 20;

/** A batch with its channelOrderId. */
interface SentBatch {
  batchId: BatchId;
  channelOrderId: string;
}

/** What was sent in place of failed orders, without passwords. */
export interface SentOrders {
  orders: number;
  /** The batch's stored digest (rules 6.1 Idempotency), in hexadecimal. */
  digest: string;
  /** The differences from the failed orders, bounded in size. */
  difference: unknown;
}

/** A batch that an operator created from another one's failed orders. */
interface Resend extends SentBatch {
  fromBatchId: BatchId;
  /** The operator's name; null for the `lockstep` command. */
  operator: string | null;
  /** When it was sent, in milliseconds. */
  time: number;
}

/** Adds to the audit log that an operator resent failed orders, with an entry for each of the two batches. */
export async function recordResend(
  db: Database,
  actor: Actor,
  { from, made, sent }: { from: SentBatch; made: SentBatch; sent: SentOrders },
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const { batchId: target } = from;
    await recordChange(trx, actor, { action: 'batch.resent', target, after: { ...made, ...sent } });
    await recordChange(trx, actor, { action: 'batch.made', target: made.batchId, after: from });
  });
}

/** Reads the batches that were created from the failed orders of these batches, newest first. */
export async function listResends(db: Database, batchIds: readonly BatchId[]): Promise<Resend[]> {
  const { rows } = await sql<{ fromBatchId: BatchId; after: unknown; operator: string | null; time: number }>`
    select target as "fromBatchId", after, name as operator, ${inMs('recorded_time')} as time
    from unnest(${batchIds}::text[]) as wanted (id) cross join lateral (
      select * from operator_audit where target = wanted.id and action = 'batch.resent'
      order by id desc limit ${MAX_RESENDS}
    ) as entry left join operator on operator.id = operator_id order by entry.id desc`.execute(db);
  // A batch that was sent twice, as by a double click, is listed once, with its earlier entry.
  const resends = rows.map(({ after, ...resend }): Resend => ({ ...resend, ...pickBatch(after) }));
  return [...new Map(resends.map((resend) => [resend.batchId, resend])).values()];
}

/** Returns the batch whose failed orders a batch replaces; null if it replaces none. */
export async function readResentFrom(db: Database, batchId: BatchId): Promise<SentBatch | null> {
  const entries = db.selectFrom('operator_audit').select('after').where('target', '=', batchId);
  const made = await entries.where('action', '=', 'batch.made').orderBy('id', 'desc').limit(1).executeTakeFirst();
  return made === undefined ? null : pickBatch(made.after);
}

function pickBatch(after: unknown): SentBatch {
  const { batchId, channelOrderId } = after as SentBatch;
  return { batchId, channelOrderId };
}
