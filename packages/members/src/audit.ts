import { findNumbersOfOtherChannels } from '@lockstep/assets';
import type { AuditAction, AuditEntry, Page, PageQuery } from '@lockstep/contract';
import { type Database, inSnapshot, insertRows, type Trx } from '@lockstep/platform';
import { type AuditDetail, numbersIn, without } from './audit-rules.ts';
import { pageOf, rowsBefore } from './page.ts';
import { type Actor, auditOf } from './scope.ts';

/** A change for the audit record: what was there before and after, as far as it changed; never a password. */
export interface Change {
  action: AuditAction;
  targetId: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

/** Records changes in the transaction that makes them, so that there is none without the other (decisions 8). */
export async function recordChanges(trx: Trx, actor: Actor, changes: readonly Change[]): Promise<void> {
  await insertRows(trx, 'member_audit', [
    ['enterprise_id', 'bigint', changes.map(() => actor.enterpriseId)],
    ['actor_id', 'bigint', changes.map(() => actor.memberId)],
    ['action', 'text', changes.map(({ action }) => action)],
    ['target_id', 'bigint', changes.map(({ targetId }) => targetId)],
    ['detail', 'json', changes.map(({ before, after }) => JSON.stringify({ before, after }))],
    ['request_id', 'text', changes.map(() => actor.requestId)],
  ]);
}

/**
 * What was changed in the member center of the actor's enterprise, newest first (decisions 8). Numbers of assets of other
 * channels than the actor's are left out (decisions 2).
 */
export function readAudit(db: Database, actor: Actor, query: PageQuery): Promise<Page<AuditEntry>> {
  return inSnapshot(db, async (trx) => {
    const { total } = await auditOf(trx, actor)
      .select((eb) => eb.fn.countAll<string>().as('total'))
      .executeTakeFirstOrThrow();
    const rows = await auditOf(trx, actor)
      .selectAll()
      .orderBy('id', 'desc')
      .limit(query.pageSize)
      .offset(rowsBefore(query))
      .execute();
    const details = await seenBy(
      trx,
      actor,
      rows.map((row) => row.detail as AuditDetail),
    );
    const entries = rows.map((row, index) => ({
      id: row.id,
      time: row.recorded_time.getTime(),
      actorGlobalId: row.actor_id,
      action: row.action as AuditAction,
      targetGlobalId: row.target_id,
      detail: details[index]!,
      requestId: row.request_id,
    }));
    return pageOf(query, Number(total), entries);
  });
}

/** What an actor sees of entries: all of it, unless the application is bound to channels. */
async function seenBy(trx: Trx, actor: Actor, details: AuditDetail[]): Promise<AuditDetail[]> {
  if (actor.channels === null) return details;
  const others = await findNumbersOfOtherChannels(trx, actor.channels, details.flatMap(numbersIn));
  return details.map((detail) => without(others, detail));
}
