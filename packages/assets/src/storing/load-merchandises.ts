import type { LicenseOrderId } from '@lockstep/contract';
import { arrayText, run, type Statement, type Trx } from '@lockstep/platform';
import type { Grant } from '../ledger/grants.ts';
import type { Ledger, MerchandiseInstance, ProductInstance } from '../ledger/ledger.ts';

/** How many rows of merchandise one statement reads. */
const ROWS_AT_ONCE = 5_000;

/** A loaded product or merchandise, and a function that receives the merchandise around it. */
type Inner = { within: (merchandise: MerchandiseInstance) => void; grant: Grant; merchandiseId: string };

/**
 * Loads the merchandise around products that may be revoked: those that contain the products, and outwards, those that
 * may become empty. An outer merchandise that keeps contents in any case is not loaded (see takeFrom of the plan).
 */
export async function loadMerchandises(
  trx: Trx,
  ledger: Ledger,
  products: Iterable<{ product: ProductInstance; merchandiseId: string | null }>,
): Promise<void> {
  /** How many direct contents of each merchandise may be revoked. */
  const mayGo = new Map<string, number>();
  let inner: Inner[] = [];
  for (const { product, merchandiseId } of products) {
    if (merchandiseId === null) continue;
    inner.push({ within: (outer) => (product.merchandise = outer), grant: product.grant, merchandiseId });
  }
  while (inner.length > 0) {
    await loadMissing(trx, ledger, inner);
    const emptied = new Set<MerchandiseInstance>();
    for (const { within, merchandiseId } of inner) {
      const merchandise = ledger.merchandises.get(merchandiseId)!;
      within(merchandise);
      const gone = (mayGo.get(merchandiseId) ?? 0) + 1;
      mayGo.set(merchandiseId, gone);
      if (gone === merchandise.activeContents) emptied.add(merchandise);
    }
    inner = [...emptied].flatMap((merchandise) => {
      const { parentId, grant } = merchandise;
      return parentId === null
        ? []
        : [{ within: (outer) => (merchandise.parent = outer), grant, merchandiseId: parentId }];
    });
  }
}

async function loadMissing(trx: Trx, { merchandises }: Ledger, inner: readonly Inner[]): Promise<void> {
  const grants = new Map<string, Grant>();
  // The contents of merchandise were bought by the same order and share its grant.
  for (const { merchandiseId, grant } of inner) if (!merchandises.has(merchandiseId)) grants.set(merchandiseId, grant);
  const ids = [...grants.keys()];
  for (let first = 0; first < ids.length; first += ROWS_AT_ONCE) {
    const rows = await run(trx, readingMerchandises(ids.slice(first, first + ROWS_AT_ONCE)));
    for (const row of rows) {
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
}

interface MerchandiseRow {
  id: string;
  license_order_id: LicenseOrderId;
  holder_id: LicenseOrderId;
  parent_id: string | null;
  active_contents: number;
}

const readingMerchandises = (ids: readonly string[]): Statement<MerchandiseRow> => ({
  name: 'read_merchandises',
  text: `
    select id, license_order_id, coalesce(held_by_order_id, license_order_id) as holder_id, parent_id, active_contents
    from merchandise_instance where id = any ((select $1::bigint[])::bigint[])`,
  values: [arrayText('bigint', ids)],
});
