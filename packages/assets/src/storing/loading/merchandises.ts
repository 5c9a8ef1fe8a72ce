import type { LicenseOrderId } from '@lockstep/contract';
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
    merchandises.set(row.id, {
      id: row.id,
      licenseOrderId: row.license_order_id,
      grant: grants.get(row.id)!,
      storedHeldBy: row.holder_id,
      bought: null,
      parent: null,
      parentId: row.parent_id,
      activeContents: row.active_contents,
      revokedBy: null,
    });
  }
}

interface MerchandiseRow {
  id: string;
  license_order_id: LicenseOrderId;
  holder_id: LicenseOrderId;
  parent_id: string | null;
  active_contents: number;
}

const merchandiseRows = (ids: readonly string[]): Statement<MerchandiseRow> => ({
  name: 'read_merchandises',
  text: `
    select id, license_order_id, coalesce(held_by_order_id, license_order_id) as holder_id, parent_id,
      (select count(*)::int from product_instance p where p.merchandise_id = outside.id and p.revoked_time is null)
      + (select count(*)::int from merchandise_instance m where m.parent_id = outside.id and m.revoked_time is null)
        as active_contents
    from merchandise_instance as outside where id = any ((select $1::bigint[])::bigint[])`,
  values: [bigintArray(ids)],
});
