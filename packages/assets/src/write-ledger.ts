import type { ProductToBuy } from '@lockstep/contract';
import { buildRows, type Column, insertRows, type Trx, together } from '@lockstep/platform';
import { sql } from 'kysely';
import { type Asset, heldBy, type Instance, type Ledger, type LedgerChanges, type Transfer } from './ledger.ts';

/** Rows that one draw from the sequence ledger_id is good for; its increment in the migration. */
const IDS_PER_BLOCK = 1_000;

/**
 * Hands out ids for new assets, merchandises and products in blocks that no other process has. What a crash leaves
 * over of a block is a gap.
 */
export class LedgerIds {
  #spare: { next: bigint; left: number }[] = [];

  /** Takes `count` ids that nobody else gets. What it drew stays drawn where the transaction rolls back. */
  async take(trx: Trx, count: number): Promise<string[]> {
    for (let missing = count - this.#left(); missing > 0; missing = count - this.#left()) {
      const blocks = Math.ceil(missing / IDS_PER_BLOCK);
      const { rows } = await sql<{ id: string }>`
        select nextval('ledger_id') as id from generate_series(1, ${blocks}::int)`.execute(trx);
      this.#spare.push(...rows.map(({ id }) => ({ next: BigInt(id), left: IDS_PER_BLOCK })));
    }
    return Array.from({ length: count }, () => this.#takeOne());
  }

  #left(): number {
    return this.#spare.reduce((sum, block) => sum + block.left, 0);
  }

  #takeOne(): string {
    const block = this.#spare[0]!;
    if (--block.left === 0) this.#spare.shift();
    return String(block.next++);
  }
}

/** Now, for a row that is there already; not before it was made, even where the clock was set back since. */
export const NOW = sql<Date>`greatest(created_time, statement_timestamp())`;

/**
 * Stores what a ledger's orders have changed, set-wise, in the transaction that loaded it. Revocations go first, so
 * that a number that was revoked and bought again is free when it is inserted; what is on an asset goes before it. Many
 * rows are written some at a time, so that others have the event loop in between.
 */
export async function writeLedger(trx: Trx, ledger: Ledger, ids: LedgerIds): Promise<void> {
  const { changes } = ledger;
  const transferred = [...new Set(changes.transfers.map(({ asset }) => asset))];
  const newGrants = new Set(changes.newGrants.map(({ grant }) => grant));
  const stored = {
    products: storedOnes(changes.revokedProducts),
    merchandises: storedOnes(changes.revokedMerchandises),
    grants: changes.revokedGrants.filter(({ grant }) => !newGrants.has(grant)),
    assets: storedOnes(changes.revokedAssets),
    heldProducts: heldAnew(transferred.flatMap(({ products }) => products)),
    heldMerchandises: heldAnew(transferred.flatMap(({ merchandises }) => merchandises)),
    released: storedOnes(changes.releasedAssets).map(({ id }) => id),
    changed: storedOnes(changes.changedAssets),
  };
  await assignIds(trx, changes, ids);
  await inTurn([
    // The transfers first: what is held by another order, or belongs to another customer, is so by one of them.
    ...inParts(changes.transfers, (transfers) => insertTransfers(trx, transfers)),
    ...inOne(stored.heldProducts, (held) => hold(trx, 'product_instance', held)),
    ...inOne(stored.heldMerchandises, (held) => hold(trx, 'merchandise_instance', held)),
    ...inOne(stored.products, (revoked) => revoke(trx, 'product_instance', revoked)),
    ...inOne(stored.merchandises, (revoked) => revoke(trx, 'merchandise_instance', revoked)),
    ...inOne(stored.grants, (revoked) => revokeGrants(trx, revoked)),
    ...inOne(stored.released, (released) => releaseAssets(trx, released)),
    ...inOne(stored.changed, (changed) => updateAssets(trx, changed)),
    ...inOne(stored.assets, (revoked) => revoke(trx, 'asset', revoked)),
    // Sorted, as they are locked: transactions that insert the same numbers wait rather than deadlock.
    ...inParts([...changes.newAssets].sort(byNumber), (assets) => insertAssets(trx, assets)),
    ...inParts(changes.newGrants, (grants) => insertGrants(trx, grants)),
    ...inParts(changes.newMerchandises, (merchandises) => insertMerchandises(trx, merchandises)),
    ...inParts(changes.newProducts, (products) => insertProducts(trx, products)),
  ]);
}

/** Rows that one statement inserts: some milliseconds' work for the event loop. */
const ROWS_AT_ONCE = 2_000;
/** Statements that are sent without waiting for the one before: as many as a write of few rows takes. */
const STATEMENTS_AT_ONCE = 10;

type Statement = () => Promise<void>;

/** One statement, or none where there is nothing to do: those that go out together are few. */
function inOne<Item>(items: readonly Item[], statement: (items: readonly Item[]) => Promise<void>): Statement[] {
  return items.length === 0 ? [] : [() => statement(items)];
}

function inParts<Item>(items: readonly Item[], insert: (part: Item[]) => Promise<void>): Statement[] {
  const parts = Math.ceil(items.length / ROWS_AT_ONCE);
  return Array.from({ length: parts }, (_, part) => {
    const first = part * ROWS_AT_ONCE;
    return () => insert(items.slice(first, first + ROWS_AT_ONCE));
  });
}

async function inTurn(statements: readonly Statement[]): Promise<void> {
  for (let first = 0; first < statements.length; first += STATEMENTS_AT_ONCE) {
    await together(statements.slice(first, first + STATEMENTS_AT_ONCE).map((statement) => statement()));
  }
}

const byNumber = (a: Asset, b: Asset) => (a.assetNum < b.assetNum ? -1 : 1);

/** Those that are stored already. */
function storedOnes<Thing extends { id: string | null }>(things: Iterable<Thing>): (Thing & { id: string })[] {
  return [...things].filter((thing): thing is Thing & { id: string } => thing.id !== null);
}

async function assignIds(trx: Trx, changes: LedgerChanges, ids: LedgerIds): Promise<void> {
  const made = [
    ...changes.newAssets,
    ...changes.newMerchandises.map((effect) => effect.merchandise),
    ...changes.newProducts.map((effect) => effect.product),
  ];
  const taken = await ids.take(trx, made.length);
  for (const [index, instance] of made.entries()) instance.id = taken[index]!;
}

/** What is stored, and held by another order now than it is stored to be. */
function heldAnew(instances: readonly Instance[]) {
  return storedOnes(instances)
    .map((instance) => ({ id: instance.id, heldBy: heldBy(instance), storedHeldBy: instance.storedHeldBy }))
    .filter((each) => each.heldBy !== each.storedHeldBy);
}

/** Stores that what transferred assets brought with them is held by the order that transferred them. */
async function hold(
  trx: Trx,
  table: 'merchandise_instance' | 'product_instance',
  held: readonly { id: string; heldBy: string }[],
): Promise<void> {
  const rows = buildRows([
    ['id', 'bigint', held.map(({ id }) => id)],
    ['order_id', 'bigint', held.map(({ heldBy }) => heldBy)],
  ]);
  await sql`
    update ${sql.table(table)} as instance set held_by_order_id = held.order_id, updated_time = ${NOW}
    from ${rows} as held (id, order_id) where instance.id = held.id`.execute(trx);
}

async function revoke(
  trx: Trx,
  table: 'asset' | 'merchandise_instance' | 'product_instance',
  revoked: readonly { id: string; revokedBy: string | null }[],
): Promise<void> {
  const rows = buildRows([
    ['id', 'bigint', revoked.map(({ id }) => id)],
    ['order_id', 'bigint', revoked.map(({ revokedBy }) => revokedBy)],
  ]);
  await sql`
    update ${sql.table(table)} as instance
    set revoked_time = ${NOW}, revoked_by_order_id = revoked.order_id, updated_time = ${NOW}
    from ${rows} as revoked (id, order_id) where instance.id = revoked.id`.execute(trx);
}

async function revokeGrants(trx: Trx, revoked: readonly LedgerChanges['revokedGrants'][number][]): Promise<void> {
  const grants = buildRows([
    ['asset_id', 'bigint', revoked.map((effect) => effect.asset.id)],
    ['license_order_id', 'bigint', revoked.map((effect) => effect.grant.licenseOrderId)],
    ['order_id', 'bigint', revoked.map((effect) => effect.grant.revokedBy)],
  ]);
  await sql`
    update asset_grant set revoked_time = ${NOW}, revoked_by_order_id = revoked.order_id
    from ${grants} as revoked (asset_id, license_order_id, order_id)
    where asset_grant.asset_id = revoked.asset_id
      and asset_grant.license_order_id = revoked.license_order_id`.execute(trx);
}

async function insertTransfers(trx: Trx, transfers: readonly Transfer[]): Promise<void> {
  await insertRows(trx, 'asset_transfer', [
    ['asset_id', 'bigint', transfers.map(({ asset }) => asset.id)],
    ['license_order_id', 'bigint', transfers.map(({ licenseOrderId }) => licenseOrderId)],
    ['from_customer_id', 'bigint', transfers.map(({ fromCustomerId }) => fromCustomerId)],
    ['to_customer_id', 'bigint', transfers.map(({ toCustomerId }) => toCustomerId)],
  ]);
}

async function updateAssets(trx: Trx, changed: readonly Asset[]): Promise<void> {
  const rows = buildRows([
    ['id', 'bigint', changed.map((asset) => asset.id)],
    ['customer_id', 'bigint', changed.map((asset) => asset.customerId)],
    ['limit_start_date', 'bigint', changed.map((asset) => asset.limitStartDate)],
    ['limit_end_date', 'bigint', changed.map((asset) => asset.limitEndDate)],
    ['borrowed_usb_key', 'boolean', changed.map((asset) => asset.borrowedUsbKey)],
    ['extends', 'jsonb', changed.map((asset) => JSON.stringify(asset.extends))],
  ]);
  await sql`
    update asset set customer_id = c.customer_id, limit_start_date = c.limit_start_date,
      limit_end_date = c.limit_end_date, borrowed_usb_key = c.borrowed_usb_key, extends = c.extends,
      updated_time = ${NOW}
    from ${rows} as c (id, customer_id, limit_start_date, limit_end_date, borrowed_usb_key, extends)
    where asset.id = c.id`.execute(trx);
}

/** Takes assets from whoever holds them: ends their assignment, their lending, and as a lock what is lent into it. */
export async function releaseAssets(trx: Trx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await together([
    sql`
      delete from asset_lending
      where asset_id = any (${ids}::bigint[]) or lock_asset_id = any (${ids}::bigint[])`.execute(trx),
    sql`delete from asset_assignment where asset_id = any (${ids}::bigint[])`.execute(trx),
  ]);
}

/** What is bought and revoked by the same group of orders is stored as revoked. */
function revocation(instances: readonly { revokedBy: string | null }[]): Column[] {
  const orderIds = instances.map(({ revokedBy }) => revokedBy);
  const flags = orderIds.map((orderId) => orderId !== null);
  return [
    ['revoked_time', 'boolean', flags, (revoked) => sql`case when ${revoked} then statement_timestamp() end`],
    ['revoked_by_order_id', 'bigint', orderIds],
  ];
}

/** Null where it is the order that bought it: most are never transferred. */
const holders = (instances: readonly Instance[]) =>
  instances.map((instance) => {
    const holderId = heldBy(instance);
    return holderId === instance.licenseOrderId ? null : holderId;
  });

async function insertAssets(trx: Trx, assets: readonly Asset[]): Promise<void> {
  await insertRows(trx, 'asset', [
    ['id', 'bigint', assets.map((asset) => asset.id)],
    ['asset_num', 'text', assets.map((asset) => asset.assetNum)],
    ['customer_id', 'bigint', assets.map((asset) => asset.customerId)],
    ['license_type', 'text', assets.map((asset) => asset.licenseType)],
    ['limit_start_date', 'bigint', assets.map((asset) => asset.limitStartDate)],
    ['limit_end_date', 'bigint', assets.map((asset) => asset.limitEndDate)],
    ['borrowed_usb_key', 'boolean', assets.map((asset) => asset.borrowedUsbKey)],
    ['extends', 'jsonb', assets.map((asset) => JSON.stringify(asset.extends))],
    ...revocation(assets),
  ]);
}

async function insertGrants(trx: Trx, newGrants: LedgerChanges['newGrants']): Promise<void> {
  await insertRows(trx, 'asset_grant', [
    ['asset_id', 'bigint', newGrants.map(({ asset }) => asset.id)],
    ['license_order_id', 'bigint', newGrants.map(({ grant }) => grant.licenseOrderId)],
    ...revocation(newGrants.map(({ grant }) => grant)),
  ]);
}

async function insertMerchandises(trx: Trx, newMerchandises: LedgerChanges['newMerchandises']): Promise<void> {
  const bought = newMerchandises.map(({ merchandise }) => merchandise.bought!);
  await insertRows(trx, 'merchandise_instance', [
    ['id', 'bigint', newMerchandises.map(({ merchandise }) => merchandise.id)],
    ['asset_id', 'bigint', newMerchandises.map(({ asset }) => asset.id)],
    ['license_order_id', 'bigint', newMerchandises.map(({ merchandise }) => merchandise.licenseOrderId)],
    ['parent_id', 'bigint', newMerchandises.map(({ merchandise }) => merchandise.parent?.id ?? null)],
    ['crm_product_id', 'text', bought.map((merchandise) => merchandise.crmProductId)],
    ['parent_crm_product_id', 'text', bought.map((merchandise) => merchandise.parentCrmProductId)],
    ['merchandise_num', 'text', bought.map((merchandise) => merchandise.merchandiseNum)],
    ['merchandise_name', 'text', bought.map((merchandise) => merchandise.merchandiseName)],
    ['parent_merchandise_num', 'text', bought.map((merchandise) => merchandise.parentMerchandiseNum)],
    ['time_duration_expression', 'text', bought.map((merchandise) => merchandise.timeDurationExpression)],
    ['held_by_order_id', 'bigint', holders(newMerchandises.map(({ merchandise }) => merchandise))],
    ...revocation(newMerchandises.map(({ merchandise }) => merchandise)),
  ]);
}

async function insertProducts(trx: Trx, newProducts: LedgerChanges['newProducts']): Promise<void> {
  const bought = newProducts.map(({ product }) => product.bought!);
  await insertRows(trx, 'product_instance', [
    ['id', 'bigint', newProducts.map(({ product }) => product.id)],
    ['asset_id', 'bigint', newProducts.map(({ asset }) => asset.id)],
    ['license_order_id', 'bigint', newProducts.map(({ product }) => product.licenseOrderId)],
    ['merchandise_id', 'bigint', newProducts.map(({ product }) => product.merchandise?.id ?? null)],
    ['crm_product_id', 'text', bought.map((product) => product.crmProductId)],
    ['product_uri', 'text', bought.map((product) => product.productUri)],
    ['product_name', 'text', bought.map((product) => product.productName)],
    ['limit_start_date', 'bigint', newProducts.map(({ product }) => product.limitStartDate)],
    ['limit_end_date', 'bigint', newProducts.map(({ product }) => product.limitEndDate)],
    ['limit_concurrent', 'integer', newProducts.map(({ product }) => product.limitConcurrent)],
    ['src_license_order_id', 'bigint', bought.map((product) => product.srcLicenseOrderId ?? null)],
    ['details', 'jsonb', bought.map((product) => JSON.stringify(detailsOf(product)))],
    ['held_by_order_id', 'bigint', holders(newProducts.map(({ product }) => product))],
    ...revocation(newProducts.map(({ product }) => product)),
  ]);
}

/** What was bought, without what has a column of its own. */
function detailsOf(product: ProductToBuy) {
  const { gmsPid, appKey, productType, parentCrmProductId, limitTimeDuration, trial, trialEndDate } = product;
  const { passwords, timeUnit, timeUnitQuantity, timeDurationExpression, productFeatures } = product;
  return {
    ...{ gmsPid, appKey, productType, parentCrmProductId, limitTimeDuration, trial, trialEndDate },
    ...{ passwords, timeUnit, timeUnitQuantity, timeDurationExpression, productFeatures },
  };
}
