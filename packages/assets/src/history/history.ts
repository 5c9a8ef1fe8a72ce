import type { AssetId, Viewer } from '@lockstep/contract';
import { type Database, inSnapshot, isId, ListCursor, type Trx, WrongCursor } from '@lockstep/platform';
import { sql } from 'kysely';
import { selectAllAssets, selectAssets, selectRevokedAssets } from '../tenant.ts';
import { type EntryPlace, isAction, placeOf, readEntries } from './entries.ts';
import { readSteps, type Step, type TracedAsset } from './steps.ts';

/** A position in a history: an entry of a step. Later positions are older. */
type Place = Pick<Step, 'assetId' | 'kind' | 'id'> & EntryPlace;

const listParts = ({ assetId, kind, id, action, aboutId }: Place) => [assetId, kind, id, action, aboutId];
const PARTS = [isId, () => true, isId, isAction, isId];

/**
 * Lists the history of an asset number, newest first, a page of at most `limit` entries that the viewer can see (rules
 * 6.7), in one snapshot. The source is the ledger itself: assets one after the other, on each the steps of orders,
 * locks and holdings, and the entries of each step. These never change or move, so pages stay consistent while orders
 * take effect. A page costs the steps of the assets it shows, regardless of how much was bought in them. Null if the
 * viewer can see no asset that ever had the number.
 *
 * Throws a WrongCursor.
 */
export function readAssetHistory<Shown>(
  db: Database,
  viewer: Viewer,
  assetNum: string,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
  show: (entry: Awaited<ReturnType<typeof readEntries>>[number]) => Shown,
): Promise<{ entries: Shown[]; nextCursor: string | null } | null> {
  const cursors = new ListCursor(['assetHistory', viewer.applicationId, { assetNum }], cursor, PARTS);
  const [assetId, kind, id, action, aboutId] = cursors.after ?? [];
  const after = cursors.after && ({ assetId, kind, id, action, aboutId } as Place);
  return inSnapshot(db, async (trx) => {
    const findAssets = (from: AssetId | null) => findAssetsOfNumber(trx, viewer, assetNum, { from, limit: limit + 1 });
    // Each visible asset has an entry, so these are enough for a page and to know whether another follows.
    const newest = await findAssets(null);
    if (newest!.length === 0) return null;
    const assets = after === null ? newest : await findAssets(after.assetId);
    if (assets === null) throw new WrongCursor();
    const steps = await readSteps(trx, viewer, assets);
    const start = after === null ? -1 : findStart(steps, after, assets);
    const left = steps.slice(Math.max(start, 0));
    // A step may have no entry: an order may end a grant that has no contents left.
    const shown = left.slice(0, limit + 1);
    const entries = await readEntries(trx, shown, { after: start < 0 ? null : after, limit: limit + 1 });
    const page = entries.slice(0, limit);
    const last = entries.length > limit ? page.at(-1) : undefined;
    const lastStep = left.length > shown.length ? shown.at(-1) : undefined;
    const end = last
      ? { ...last.step, ...placeOf(last) }
      : lastStep && { ...lastStep, action: '' as const, aboutId: lastStep.assetId };
    return { entries: page.map(show), nextCursor: cursors.write(end ? listParts(end) : null) };
  });
}

/** Returns the step in which a page begins; -1 for the first. */
function findStart(steps: readonly Step[], after: Place, assets: readonly TracedAsset[]): number {
  const index = steps.findIndex(
    ({ assetId, kind, id }) => assetId === after.assetId && kind === after.kind && id === after.id,
  );
  // If the asset was transferred to another channel since then, the page begins with the next older one.
  if (index < 0 && assets.some(({ id }) => id === after.assetId)) throw new WrongCursor();
  return index;
}

const COLUMNS = [
  'asset.id',
  'asset.customer_id as customerId',
  'asset.created_by_order_id as createdByOrderId',
  'asset.revoked_by_order_id as revokedByOrderId',
] as const;

/**
 * Finds the assets that have or had a number and that the viewer can see, newest first. A number belongs to an asset
 * until that is revoked, so one ends before the next begins. With `from`, returns only that asset and older ones; null
 * if it never had the number.
 */
async function findAssetsOfNumber(
  trx: Trx,
  viewer: Viewer,
  assetNum: string,
  { from, limit }: { from: AssetId | null; limit: number },
): Promise<TracedAsset[] | null> {
  const start = from === null ? null : await findRevokedTime(trx, assetNum, from);
  if (start === undefined) return null;
  const active = start?.revokedTime
    ? []
    : await selectAssets(trx, viewer).select(COLUMNS).where('asset_num', '=', assetNum).execute();
  const revoked = await selectRevokedAssets(trx, viewer)
    .select(COLUMNS)
    .where('asset_num', '=', assetNum)
    .$if(Boolean(start?.revokedTime), (all) =>
      all.where(sql<boolean>`(revoked_time, asset.id) <= (${start?.revokedTime}::timestamptz, ${from}::bigint)`),
    )
    // Assets that one statement inserted as revoked share a time. Their ids follow the order of effects.
    .orderBy('revoked_time', 'desc')
    .orderBy('asset.id', 'desc')
    .limit(limit)
    .execute();
  return [...active, ...revoked];
}

/**
 * Returns when an asset of a number was revoked, as text, because a Date has no microseconds; undefined if there is
 * none. It may be of any channel: a page may begin at an asset that was transferred to another channel meanwhile.
 */
async function findRevokedTime(trx: Trx, assetNum: string, id: AssetId) {
  return await selectAllAssets(trx, { channels: null })
    .select(sql<string | null>`revoked_time::text`.as('revokedTime'))
    .where('asset.id', '=', id)
    .where('asset_num', '=', assetNum)
    .executeTakeFirst();
}
