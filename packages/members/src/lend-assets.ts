import { type AssetId, type LendAssets, type MemberId, Refusal } from '@lockstep/contract';
import type { Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import type { Actor } from './actor.ts';
import { recordChanges } from './audit.ts';
import { lendIntoLock, readHoldings, readLockHolders } from './holdings.ts';
import { planLending } from './lending-rules.ts';
import { keepEmployee } from './tenant.ts';
import { lockEnterpriseAssets } from './tenant-assets.ts';
import type { HoldingTools } from './tools.ts';

/**
 * M10: lends assets of an employee into a borrowed lock, all or none of them (rules 8). The same lending again
 * changes nothing.
 *
 * Throws a Refusal: employee_not_matched, borrowed_lock_unusable, borrowed_lock_taken, asset_not_held,
 * asset_lent_elsewhere, asset_without_nodes.
 */
export function lendAssets(
  { changes, deadline }: HoldingTools,
  actor: Actor,
  memberId: MemberId,
  wanted: LendAssets,
): Promise<void> {
  return changes.run(actor.enterpriseId, deadline, async (trx) => {
    if (!(await keepEmployee(trx, actor, memberId))) throw new Refusal('employee_not_matched', memberId);
    const { borrowedUsbKey, assetIDs } = wanted;
    const locked = await lockEnterpriseAssets(trx, actor, { assetNums: [borrowedUsbKey], assetIds: assetIDs });
    const lock = locked.find(({ assetNum }) => assetNum === borrowedUsbKey);
    const lockedIds = locked.map(({ id }) => id);
    const { lock: usable, lentIds } = planLending(wanted, {
      memberId,
      lock,
      lockHolderIds: lock === undefined ? new Set() : await readLockHolders(trx, lock.id),
      ...(await readHoldings(trx, lockedIds)),
      idsWithNodes: await readIdsWithNodes(trx, lockedIds),
    });
    if (lentIds.length === 0) return;
    await lendIntoLock(trx, usable.id, lentIds);
    const lent = locked
      .filter(({ id }) => lentIds.includes(id))
      .map(({ assetNum }) => ({ assetNum, borrowedUsbKey: usable.assetNum }));
    const change = { before: { lent: [] }, after: { lent } };
    await recordChanges(trx, actor, [{ action: 'assets_lent', targetId: memberId, ...change }]);
  });
}

/** Returns those of some assets that have an active product with a concurrent node or more. */
async function readIdsWithNodes(trx: Trx, assetIds: AssetId[]): Promise<Set<AssetId>> {
  const { rows } = await sql<{ id: AssetId }>`
    select named.id from unnest(${assetIds}::bigint[]) as named (id)
    where exists (
      select from product_instance p where p.asset_id = named.id and p.revoked_time is null and p.limit_concurrent >= 1
    )`.execute(trx);
  return new Set(rows.map((row) => row.id));
}
