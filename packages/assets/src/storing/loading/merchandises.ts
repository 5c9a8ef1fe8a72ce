import { bigintArray, run, type Statement, type Trx } from '@lockstep/platform';
import type { Grant } from '../../ledger/grants.ts';
import type { MerchandiseInstance } from '../../ledger/ledger.ts';
import type { LoadedProduct } from './products.ts';

/** A loaded product or merchandise, and a function that receives the merchandise around it. */
type Inner = { within: (merchandise: MerchandiseInstance) => void; grant: Grant; merchandiseId: string };

/**
 * Loads the merchandise around products that may be revoked: those that contain the products, and outwards, those that
 * may become empty. An outer merchandise that keeps contents in any case is not loaded (see takeFrom of the plan).
 */
export async function loadMerchandises(trx: Trx, products: readonly LoadedProduct[]): Promise<void> {
  const merchandises = new Map<string, MerchandiseInstance>();
  /** How many direct contents of each merchandise may be revoked. */
  const mayGo = new Map<string, number>();
  let inner = products.flatMap(({ product, merchandiseId }): Inner[] => {
    const within = (outer: MerchandiseInstance) => {
      product.merchandise = outer;
    };
    return merchandiseId === null ? [] : [{ within, grant: product.grant, merchandiseId }];
  });
  while (inner.length > 0) {
    await loadMissing(trx, merchandises, inner);
    const emptied = new Set<MerchandiseInstance>();
    for (const { within, merchandiseId } of inner) {
      const merchandise = merchandises.get(merchandiseId)!;
      within(merchandise);
      const gone = (mayGo.get(merchandiseId) ?? 0) + 1;
      mayGo.set(merchandiseId, gone);
      if (gone === merchandise.activeContents) emptied.add(merchandise);
    }
    inner = [...emptied].flatMap((merchandise): Inner[] => {
      const { parentId, grant } = merchandise;
      const within = (outer: MerchandiseInstance) => {
        merchandise.parent = outer;
      };
      return parentId === null ? [] : [{ within, grant, merchandiseId: parentId }];
    });
  }
}

async function loadMissing(
  trx: Trx,
  merchandises: Map<string, MerchandiseInstance>,
  inner: readonly Inner[],
): Promise<void> {
  const grants = new Map<string, Grant>();
  // The contents of merchandise were bought by the same order and share its grant.
  for (const { merchandiseId, grant } of inner) if (!merchandises.has(merchandiseId)) grants.set(merchandiseId, grant);
  if (grants.size === 0) return;
  for (const row of await run(trx, merchandiseRows([...grants.keys()]))) {
    merchandises.set(row.id, { ...row, grant: grants.get(row.id)!, bought: null, parent: null, revokedBy: null });
  }
}

type MerchandiseRow = Omit<MerchandiseInstance, 'id' | 'grant' | 'bought' | 'parent' | 'revokedBy'> & { id: string };

const merchandiseRows = (ids: readonly string[]): Statement<MerchandiseRow> => ({
  name: 'read_merchandises',
  text: `
    select id, license_order_id as "licenseOrderId", parent_id as "parentId",
      coalesce(held_by_order_id, license_order_id) as "storedHeldBy",
      (select count(*)::int from product_instance p where p.merchandise_id = outside.id and p.revoked_time is null)
      + (select count(*)::int from merchandise_instance m where m.parent_id = outside.id and m.revoked_time is null)
        as "activeContents"
    from merchandise_instance as outside where id = any ((select $1::bigint[])::bigint[])`,
  values: [bigintArray(ids)],
});
