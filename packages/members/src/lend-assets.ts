import { type LendAssets, Refusal } from '@lockstep/contract';
import { insertRows, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { lockAssets } from './asset-scope.ts';
import { recordChanges } from './audit.ts';
import { readHoldings } from './holdings.ts';
import { planLending } from './lending-rules.ts';
import { type Actor, keepEmployee } from './scope.ts';
import type { HoldingTools } from './tools.ts';

/**
 * M10: lends assets of an employee into a borrowed lock, all or none of them (decisions 8). The same lending again
 * changes nothing.
 *
 * Throws a Refusal: employee_not_matched, borrowed_lock_unusable, borrowed_lock_taken, asset_not_held,
 * asset_lent_elsewhere, asset_without_nodes.
 */
export function lendAssets(
  { changes, deadline }: HoldingTools,
  actor: Actor,
  memberId: string,
  wanted: LendAssets,
): Promise<void> {
  return changes.run(actor.enterpriseId, deadline, async (trx) => {
    if (!(await keepEmployee(trx, actor, memberId))) throw new Refusal('employee_not_matched', memberId);
    const { borrowedUsbKey, assetIDs } = wanted;
    const locked = await lockAssets(trx, actor, { assetNums: [borrowedUsbKey], assetIds: assetIDs });
    const lock = locked.find(({ assetNum }) => assetNum === borrowedUsbKey);
    const lockedIds = locked.map(({ id }) => id);
    const { lock: usable, lentIds } = planLending(wanted, {
      memberId,
      lock,
      lockHolderIds: lock === undefined ? new Set() : await readLockHolders(trx, lock.id),
      ...(await readHoldings(trx, lockedIds)),
      withNodes: await readIdsWithNodes(trx, lockedIds),
    });
    if (lentIds.length === 0) return;
    await insertRows(trx, 'asset_lending', [
      ['asset_id', 'bigint', lentIds],
      ['lock_asset_id', 'bigint', lentIds.map(() => usable.id)],
    ]);
    const lent = locked
      .filter(({ id }) => lentIds.includes(id))
      .map(({ assetNum }) => ({ assetNum, borrowedUsbKey: usable.assetNum }));
    const change = { before: { lent: [] }, after: { lent } };
    await recordChanges(trx, actor, [{ action: 'assets_lent', targetId: memberId, ...change }]);
  });
}

/** The employees whose assets are lent into a lock. */
async function readLockHolders(trx: Trx, lockId: string): Promise<Set<string>> {
  const rows = await trx
    .selectFrom('asset_lending')
    .innerJoin('asset_assignment', 'asset_assignment.asset_id', 'asset_lending.asset_id')
    .select('asset_assignment.member_id')
    .distinct()
    .where('asset_lending.lock_asset_id', '=', lockId)
    .execute();
  return new Set(rows.map((row) => row.member_id));
}

async function readIdsWithNodes(trx: Trx, assetIds: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select named.id from unnest(${assetIds}::bigint[]) as named (id)
    where exists (
      select from product_instance p where p.asset_id = named.id and p.revoked_time is null and p.limit_concurrent >= 1
    )`.execute(trx);
  return new Set(rows.map((row) => row.id));
}
