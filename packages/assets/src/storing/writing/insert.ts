import { createHash } from 'node:crypto';
import type { LicenseOrderId, ProductToBuy } from '@lockstep/contract';
import { arrayText, type Column, insertRows, send, type Trx, textArray } from '@lockstep/platform';
import { heldBy, revokerOf } from '../../ledger/grants.ts';
import type { Asset, Instance, LedgerChanges, Transfer } from '../../ledger/ledger.ts';
import { pickTerms } from '../../terms.ts';

/** Inserts the transfers of assets. */
export async function insertTransfers(trx: Trx, transfers: readonly Transfer[]): Promise<void> {
  await insertRows(trx, 'asset_transfer', [
    ['asset_id', 'bigint', transfers.map(({ asset }) => asset.id)],
    ['license_order_id', 'bigint', transfers.map(({ licenseOrderId }) => licenseOrderId)],
    ['from_customer_id', 'bigint', transfers.map(({ fromCustomerId }) => fromCustomerId)],
    ['to_customer_id', 'bigint', transfers.map(({ toCustomerId }) => toCustomerId)],
  ]);
}

/** Inserts new assets as active. The first grant of a new asset is that of the order that created it. */
export async function insertAssets(trx: Trx, assets: readonly Asset[]): Promise<void> {
  await insertRows(trx, 'asset', [
    ['id', 'bigint', assets.map((asset) => asset.id)],
    ['asset_num', 'text', assets.map((asset) => asset.assetNum)],
    ['customer_id', 'bigint', assets.map((asset) => asset.customerId)],
    ['license_type', 'text', assets.map((asset) => asset.licenseType)],
    ['limit_start_date', 'bigint', assets.map((asset) => asset.limitStartDate)],
    ['limit_end_date', 'bigint', assets.map((asset) => asset.limitEndDate)],
    ['borrowed_usb_key', 'boolean', assets.map((asset) => asset.borrowedUsbKey)],
    ['extends', 'jsonb', assets.map(writeExtends)],
    ['created_by_order_id', 'bigint', assets.map((asset) => asset.grants[0]!.licenseOrderId)],
  ]);
}

/** Inserts new grants. */
export async function insertGrants(trx: Trx, newGrants: LedgerChanges['newGrants']): Promise<void> {
  await insertRows(trx, 'asset_grant', [
    ['asset_id', 'bigint', newGrants.map(({ asset }) => asset.id)],
    ['license_order_id', 'bigint', newGrants.map(({ grant }) => grant.licenseOrderId)],
    ...revocationColumns(newGrants.map(({ grant }) => grant.revokedBy)),
  ]);
}

/** Inserts new merchandise. */
export async function insertMerchandises(trx: Trx, newMerchandises: LedgerChanges['newMerchandises']): Promise<void> {
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
    ['held_by_order_id', 'bigint', holderIds(newMerchandises.map(({ merchandise }) => merchandise))],
    ...revocationColumns(newMerchandises.map(({ merchandise }) => revokerOf(merchandise))),
  ]);
}

/** The terms of new products. Thousands of rows may share one object. */
export interface DigestedTerms {
  /** The terms as JSON, by their digests in hexadecimal. */
  texts: ReadonlyMap<string, string>;
  digestOf: ReadonlyMap<ProductToBuy, string>;
}

/** Collects and digests the terms of new products, once for each product that was bought. */
export function collectTerms(newProducts: LedgerChanges['newProducts']): DigestedTerms {
  const texts = new Map<string, string>();
  const digestOf = new Map<ProductToBuy, string>();
  for (const bought of new Set(newProducts.map(({ product }) => product.bought!))) {
    const text = JSON.stringify(pickTerms(bought));
    const digest = createHash('sha256').update(text).digest('hex');
    texts.set(digest, text);
    digestOf.set(bought, digest);
  }
  return { texts, digestOf };
}

/**
 * Inserts the terms that are not stored yet. It never waits: if another transaction is inserting the same terms,
 * both become rows.
 */
export async function insertTerms(trx: Trx, { texts }: DigestedTerms): Promise<void> {
  if (texts.size === 0) return;
  await send(trx, {
    name: 'insert_product_terms',
    text: `
      insert into product_terms (fields)
      select sent.fields from unnest((select $1::json[]), (select $2::bytea[])) as sent (fields, digest)
      left join lateral (select id from product_terms where digest = sent.digest offset 0) as stored on true
      where stored.id is null`,
    values: [arrayText('json', [...texts.values()]), bytesArray([...texts.keys()])],
  });
}

/** Inserts new products, whose terms are stored. */
export async function insertProducts(
  trx: Trx,
  newProducts: LedgerChanges['newProducts'],
  { digestOf }: DigestedTerms,
): Promise<void> {
  const bought = newProducts.map(({ product }) => product.bought!);
  const digests = bought.map((product) => digestOf.get(product)!);
  const passwords = bought.map((product) => (product.passwords ? textArray(product.passwords) : null));
  const places = new Map([...new Set(digests)].map((digest, index) => [digest, index + 1]));
  const columns: Column[] = [
    ['id', 'bigint', newProducts.map(({ product }) => product.id)],
    ['asset_id', 'bigint', newProducts.map(({ asset }) => asset.id)],
    ['license_order_id', 'bigint', newProducts.map(({ product }) => product.licenseOrderId)],
    ['terms_id', 'integer', digests.map((digest) => places.get(digest)), (place) => `terms.ids[${place}]`],
    // Sends no values, because the hash is stored with the terms.
    ['uri_hash', 'integer', [], () => 'terms.hashes[terms_id]'],
    ['limit_concurrent', 'integer', newProducts.map(({ product }) => product.limitConcurrent)],
    ['merchandise_id', 'bigint', newProducts.map(({ product }) => product.merchandise?.id ?? null)],
    ['limit_start_date', 'bigint', newProducts.map(({ product }) => product.limitStartDate)],
    ['limit_end_date', 'bigint', newProducts.map(({ product }) => product.limitEndDate)],
    ['src_license_order_id', 'bigint', bought.map((product) => product.srcLicenseOrderId ?? null)],
    ['held_by_order_id', 'bigint', holderIds(newProducts.map(({ product }) => product))],
    ...revocationColumns(newProducts.map(({ product }) => revokerOf(product))),
    ['crm_product_id', 'text', bought.map((product) => product.crmProductId)],
    ['parent_crm_product_id', 'text', bought.map((product) => product.parentCrmProductId)],
    ['passwords', 'text', passwords, (text) => `${text}::text[]`],
  ];
  await insertRows(trx, 'product_instance', columns, {
    value: bytesArray([...places.keys()]),
    // A digest without terms yields null, which the column refuses. Not `order by id limit 1`: without statistics,
    // PostgreSQL would then read all terms by id until one has the digest.
    from: (digests) => `, (
      select array_agg(id order by place) as ids, array_agg(hash order by place) as hashes
      from unnest((select ${digests}::bytea[])) with ordinality as sent (digest, place)
      left join lateral (
        select min(id) as id, min(uri_hash) as hash
        from (select id, uri_hash from product_terms where digest = sent.digest offset 0) as same
      ) as stored on true
    ) as terms`,
  });
}

/** Returns the new extended attributes of an asset as JSON; null if there are none. */
export function writeExtends({ extends: given }: Asset): string | null {
  return Object.keys(given).length === 0 ? null : JSON.stringify(given);
}

/** Encodes bytes, given in hexadecimal, as the text of an array. */
const bytesArray = (inHex: readonly string[]) => textArray(inHex.map((hex) => `\\x${hex}`));

/**
 * The columns about revocation, because an order may revoke what another order of the same group bought. SQL computes
 * the time.
 */
function revocationColumns(orderIds: readonly (LicenseOrderId | null)[]): Column[] {
  return [
    ['revoked_time', 'bigint', [], () => 'case when revoked_by_order_id is not null then statement_timestamp() end'],
    ['revoked_by_order_id', 'bigint', orderIds],
  ];
}

/** Returns the orders that hold instances; null for the order that bought one, because most are never transferred. */
function holderIds(instances: readonly Instance[]): (string | null)[] {
  return instances.map((instance) => {
    const holderId = heldBy(instance);
    return holderId === instance.licenseOrderId ? null : holderId;
  });
}
