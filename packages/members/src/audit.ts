import { buildPage, countRowsBefore, findNumbersOfOtherChannels } from '@lockstep/assets';
import type { AuditAction, AuditEntry, MemberId, Page, PageQuery } from '@lockstep/contract';
import { type Database, inMs, inSnapshot, insertRows, type Trx } from '@lockstep/platform';
import { type Actor, selectAudit } from './tenant.ts';

/** A change for the audit log, with the values before and after; never a password. */
export interface Change {
  action: AuditAction;
  targetId: MemberId;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

/**
 * Writes audit entries in the transaction that makes the changes, so that neither exists without the other (rules 8).
 */
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
 * Reads the audit log of the actor's enterprise, newest first (rules 8). Omits the numbers of assets in channels that
 * the actor's application is not bound to (rules 2).
 */
export function readAudit(db: Database, actor: Actor, query: PageQuery): Promise<Page<AuditEntry>> {
  return inSnapshot(db, async (trx) => {
    const { total } = await selectAudit(trx, actor)
      .select((eb) => eb.fn.countAll<string>().as('total'))
      .executeTakeFirstOrThrow();
    const rows = await selectAudit(trx, actor)
      .select(['id', inMs('recorded_time').as('time'), 'actor_id as actorGlobalId', 'target_id as targetGlobalId'])
      .select(['action', 'detail', 'request_id as requestId'])
      .orderBy('id', 'desc')
      .limit(query.pageSize)
      .offset(countRowsBefore(query))
      .execute();
    const details = await hideOtherChannels(
      trx,
      actor,
      rows.map((row) => row.detail as AuditDetail),
    );
    const entries = rows.map((row, index) => ({
      ...row,
      action: row.action as AuditAction,
      detail: details[index]!,
    }));
    return buildPage(query, Number(total), entries);
  });
}

/** Returns the details that the actor may see. */
async function hideOtherChannels(trx: Trx, actor: Actor, details: AuditDetail[]): Promise<AuditDetail[]> {
  if (actor.channels === null) return details;
  const others = await findNumbersOfOtherChannels(trx, actor, details.flatMap(findNumbers));
  return details.map((detail) => hideNumbers(others, detail));
}

/** The values before and after a change. */
type AuditDetail = AuditEntry['detail'];

/** Returns the asset numbers in an entry. */
function findNumbers({ before, after }: AuditDetail): string[] {
  return [before, after].flatMap((side) => {
    const { assetNums = [], lent = [] } = side ?? {};
    return [...assetNums, ...lent.flatMap(({ assetNum, borrowedUsbKey }) => [assetNum, borrowedUsbKey])];
  });
}

/** Returns an entry without the hidden asset numbers, and without loans of or into those assets (rules 2). */
function hideNumbers(hidden: ReadonlySet<string>, { before, after }: AuditDetail): AuditDetail {
  const isSeen = (assetNum: string) => !hidden.has(assetNum);
  const hideIn = (side: AuditDetail['before']): AuditDetail['before'] => {
    if (side === null) return null;
    const { assetNums, lent } = side;
    return {
      ...side,
      ...(assetNums && { assetNums: assetNums.filter(isSeen) }),
      ...(lent && { lent: lent.filter((each) => isSeen(each.assetNum) && isSeen(each.borrowedUsbKey)) }),
    };
  };
  return { before: hideIn(before), after: hideIn(after) };
}
