import { run, type Trx, together } from '@lockstep/platform';
import type { Asset } from '../../ledger/ledger.ts';
import { type ActiveRow, activeRows, addActive } from './assets.ts';
import { addGrants, type CountRow, countRows, type GrantRow, grantRows, type HeldContents } from './grants.ts';
import { loadMerchandises } from './merchandises.ts';
import { addProducts, type ProductLookUp, type ProductRow, productRows } from './products.ts';

/** The contents of stored assets that orders need, in the order in which they need them. */
export interface ContentsNeeds {
  /** Assets that are bought for. What they hold is counted. */
  bought: Set<Asset>;
  /** Assets with a grant that may be revoked, taken over, or lose contents. */
  grantsOf: Set<Asset>;
  /** Contents that may be revoked together with their grants, and are counted for that. By a key, each once. */
  counts: Map<string, HeldContents>;
  lookUps: ProductLookUp[];
}

/** How much to read. */
interface ReadingLimits {
  /** What assets that are bought for hold together. */
  counted: number;
  /** Of each other kind. */
  together: number;
}

/**
 * Loads the contents that orders may refer to, before any is planned: how much the assets hold that they buy for,
 * active grants, the numbers of their contents, the active products that match, and the merchandise around them.
 * Returns whether it has loaded everything. Of each kind it reads one row more than its limit, in the order of the
 * needs, and loads only assets that it has read to the end; but if what assets hold is more than `counted`, they get
 * the numbers that it has read. If `together` is at least what one order may touch plus what one asset may hold, an
 * order that needs more is refused before it reaches what was not loaded. Loading for fewer orders replaces what was
 * loaded for more.
 */
export async function loadContents(trx: Trx, needs: ContentsNeeds, limits: ReadingLimits): Promise<boolean> {
  const [bought, assets, held] = [[...needs.bought], [...needs.grantsOf], [...needs.counts.values()]];
  if (bought.length === 0 && assets.length === 0) return true;
  const { counted: most, together: limit } = limits;
  const counting = activeRows(bought, most + 1);
  const [active, grants, counts, products] =
    assets.length === 0
      ? [await run(trx, counting), [], [], []]
      : await together<[ActiveRow, GrantRow, CountRow, ProductRow]>(trx, [
          counting,
          grantRows(assets, limit + 1),
          countRows(held, limit + 1),
          productRows(needs.lookUps, limit + 1),
        ]);
  const found = active.reduce((sum, row) => sum + row.grants + row.contents, 0);
  const areAllCounted = found <= most;
  addActive(bought, active, areAllCounted ? bought.length : active.at(-1)!.place);
  const counted = counts.reduce((sum, row) => sum + row.products + row.merchandises, 0);
  const toGrant = lastWhole(grants, grants.length, limit);
  const toCount = lastWhole(counts, counted, limit);
  const toLookUp = lastWhole(products, products.length, limit);
  addGrants(assets.slice(0, toGrant), grants, held.slice(0, toCount), counts);
  const loaded = addProducts(
    needs.lookUps,
    products.filter(({ place }) => place <= toLookUp),
  );
  await loadMerchandises(trx, loaded);
  return areAllCounted && Math.min(toGrant, toCount, toLookUp) === Number.POSITIVE_INFINITY;
}

/** Returns the last place that was read to its end, given how much was read; infinity if that is all. */
function lastWhole(rows: readonly { place: number }[], read: number, limit: number): number {
  return read > limit ? rows.at(-1)!.place - 1 : Number.POSITIVE_INFINITY;
}
