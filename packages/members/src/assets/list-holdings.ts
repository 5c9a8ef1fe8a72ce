import { listOldestFirst, type NamedAsset, PERIOD, readContents, showFacts, verdictFacts } from '@lockstep/assets';
import {
  type AssetContents,
  type AssetId,
  type BorrowedLock,
  type CursorPage,
  type EnterpriseAsset,
  type OptionalPageQuery,
  Refusal,
} from '@lockstep/contract';
import { type Database, inSnapshot, isId, type Trx } from '@lockstep/platform';
import { type Actor, requireCustomer, selectEnterpriseAssets } from '../tenant.ts';

/**
 * M6: lists the active assets of the actor's enterprise except borrowed locks, oldest first (rules 8).
 *
 * Throws a Refusal, customer_not_bound, or a WrongCursor.
 */
export function listAssets(
  db: Database,
  actor: Actor,
  query: OptionalPageQuery,
): Promise<EnterpriseAsset[] | CursorPage<EnterpriseAsset>> {
  return inSnapshot(db, async (trx) => {
    await requireCustomer(trx, actor);
    const rows = selectEnterpriseAssets(trx, actor)
      .leftJoin('asset_assignment as held', 'held.asset_id', 'asset.id')
      .leftJoin('asset_lending as lent', 'lent.asset_id', 'asset.id')
      .select(['asset.id', 'asset_num', 'held.member_id', 'lent.lock_asset_id', factsOf(actor).as('facts')])
      .where('borrowed_usb_key', '=', false);
    const show = (row: Awaited<ReturnType<typeof rows.execute>>[number]) => ({
      assetNum: row.asset_num,
      assetId: row.id,
      cloudAccountGlobalId: row.member_id,
      borrowedFlag: row.lock_asset_id !== null,
      onlineFlag: false,
      ...showFacts(row.facts),
    });
    return listOldestFirst({ rows, scope: ['M6', actor.enterpriseId, actor.channels], show }, query);
  });
}

/** SQL for the facts of a verdict. Omits who disabled an asset: that may be a person of the channel. */
const factsOf = ({ channels }: Actor) => verdictFacts({ channels });

/**
 * M8: lists the active borrowed locks of the actor's enterprise, oldest first, each with the employee whose assets are
 * lent into it (rules 8).
 *
 * Throws a Refusal, customer_not_bound, or a WrongCursor.
 */
export function listBorrowedLocks(
  db: Database,
  actor: Actor,
  query: OptionalPageQuery,
): Promise<BorrowedLock[] | CursorPage<BorrowedLock>> {
  return inSnapshot(db, async (trx) => {
    await requireCustomer(trx, actor);
    const rows = selectEnterpriseAssets(trx, actor)
      .leftJoinLateral(
        (eb) =>
          eb
            .selectFrom('asset_lending as lent')
            .innerJoin('asset_assignment as held', 'held.asset_id', 'lent.asset_id')
            .select('held.member_id')
            .whereRef('lent.lock_asset_id', '=', 'asset.id')
            .limit(1)
            .as('borrower'),
        (join) => join.onTrue(),
      )
      .select(['asset.id', 'asset_num', 'borrower.member_id'])
      .where('borrowed_usb_key', '=', true);
    const show = (row: Awaited<ReturnType<typeof rows.execute>>[number]) => ({
      assetId: row.id,
      assetNum: row.asset_num,
      borrowedFlag: row.member_id !== null,
      cloudAccountGlobalId: row.member_id,
    });
    return listOldestFirst({ rows, scope: ['M8', actor.enterpriseId, actor.channels], show }, query);
  });
}

/**
 * M7: reads the merchandise and products on an asset of the actor's enterprise. Those of a lent asset appear on its
 * borrowed lock instead (rules 8).
 *
 * Throws a Refusal: customer_not_bound, asset_id_not_found, answer_too_large.
 */
export function readAssetContents(db: Database, actor: Actor, assetId: AssetId): Promise<AssetContents> {
  return inSnapshot(db, async (trx) => {
    const { asset, shown } = await findAssets(trx, actor, assetId);
    const { products, merchandises } = await readContents(trx, shown, asset.facts.now);
    return { productInstanceList: products, children: merchandises, ...showFacts(asset.facts) };
  });
}

/** Finds an asset, and those whose contents appear on it: itself and those lent into it, or none while it is lent. */
async function findAssets(trx: Trx, actor: Actor, assetId: AssetId) {
  await requireCustomer(trx, actor);
  const selectShown = () =>
    selectEnterpriseAssets(trx, actor).select([
      'asset.id as assetId',
      'asset.asset_num as assetNum',
      'asset.license_type as licenseType',
      'asset.customer_id as customerId',
      PERIOD.as('period'),
    ]);
  const asset = isId(assetId)
    ? await selectShown().select(factsOf(actor).as('facts')).where('asset.id', '=', assetId).executeTakeFirst()
    : undefined;
  if (asset === undefined) throw new Refusal('asset_id_not_found', assetId);
  const lent = await selectShown()
    .innerJoin('asset_lending as lent', 'lent.asset_id', 'asset.id')
    .where((eb) => eb.or([eb('lent.asset_id', '=', assetId), eb('lent.lock_asset_id', '=', assetId)]))
    .execute();
  const isLent = lent.some((each) => each.assetId === assetId);
  return { asset, shown: isLent ? [] : ([asset, ...lent] satisfies NamedAsset[]) };
}
