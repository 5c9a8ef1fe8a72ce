import type { LicenseOrderId, ProductToBuy } from '@lockstep/contract';
import { type Column, insertRows, type Trx } from '@lockstep/platform';
import { heldBy, numbersOf, revokerOf } from '../ledger/grants.ts';
import type { Asset, Instance, LedgerChanges, Transfer } from '../ledger/ledger.ts';

/** Inserts the transfers of assets. */
export async function insertTransfers(trx: Trx, transfers: readonly Transfer[]): Promise<void> {
  await insertRows(trx, 'asset_transfer', [
    ['asset_id', 'bigint', transfers.map(({ asset }) => asset.id)],
    ['license_order_id', 'bigint', transfers.map(({ licenseOrderId }) => licenseOrderId)],
    ['from_customer_id', 'bigint', transfers.map(({ fromCustomerId }) => fromCustomerId)],
    ['to_customer_id', 'bigint', transfers.map(({ toCustomerId }) => toCustomerId)],
  ]);
}

/** Inserts new assets. The first grant to a new one is that of the order that created it. */
export async function insertAssets(trx: Trx, assets: readonly Asset[]): Promise<void> {
  await insertRows(trx, 'asset', [
    ['id', 'bigint', assets.map((asset) => asset.id)],
    ['asset_num', 'text', assets.map((asset) => asset.assetNum)],
    ['customer_id', 'bigint', assets.map((asset) => asset.customerId)],
    ['license_type', 'text', assets.map((asset) => asset.licenseType)],
    ['limit_start_date', 'bigint', assets.map((asset) => asset.limitStartDate)],
    ['limit_end_date', 'bigint', assets.map((asset) => asset.limitEndDate)],
    ['borrowed_usb_key', 'boolean', assets.map((asset) => asset.borrowedUsbKey)],
    ['extends', 'jsonb', assets.map((asset) => JSON.stringify(asset.extends))],
    ['created_by_order_id', 'bigint', assets.map((asset) => asset.grants[0]!.licenseOrderId)],
    ...revocationColumns(assets.map(({ revokedBy }) => revokedBy)),
    ['active_grants', 'integer', assets.map(({ active }) => active.grants)],
    ['active_products', 'integer', assets.map(({ active }) => active.products)],
    ['active_merchandises', 'integer', assets.map(({ active }) => active.merchandises)],
  ]);
}

/** Inserts what orders have granted to assets. */
export async function insertGrants(trx: Trx, newGrants: LedgerChanges['newGrants']): Promise<void> {
  const numbers = newGrants.map(({ grant }) => numbersOf(grant));
  await insertRows(trx, 'asset_grant', [
    ['asset_id', 'bigint', newGrants.map(({ asset }) => asset.id)],
    ['license_order_id', 'bigint', newGrants.map(({ grant }) => grant.licenseOrderId)],
    ...revocationColumns(newGrants.map(({ grant }) => grant.revokedBy)),
    ['active_products', 'integer', numbers.map(({ products }) => products)],
    ['active_merchandises', 'integer', numbers.map(({ merchandises }) => merchandises)],
  ]);
}

/** Inserts new merchandises. */
export async function insertMerchandises(trx: Trx, newMerchandises: LedgerChanges['newMerchandises']): Promise<void> {
  const bought = newMerchandises.map(({ merchandise }) => merchandise.bought!);
  const revokers = newMerchandises.map(({ merchandise }) => revokerOf(merchandise));
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
    ...revocationColumns(revokers),
    [
      'active_contents',
      'integer',
      newMerchandises.map(({ merchandise }, index) => (revokers[index] === null ? merchandise.activeContents : 0)),
    ],
  ]);
}

/** Inserts new products. */
export async function insertProducts(trx: Trx, newProducts: LedgerChanges['newProducts']): Promise<void> {
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
    ['details', 'jsonb', bought.map(writeDetails)],
    ['held_by_order_id', 'bigint', holderIds(newProducts.map(({ product }) => product))],
    ...revocationColumns(newProducts.map(({ product }) => revokerOf(product))),
  ]);
}

/** How many characters of text an asset gets, about. */
export function lengthOfAsset({ extends: given }: Asset): number {
  return Object.entries(given).reduce((sum, [code, value]) => sum + code.length + value.length, 0);
}

/** The same of a new merchandise. */
export function lengthOfMerchandise({ merchandise }: LedgerChanges['newMerchandises'][number]): number {
  const { crmProductId, parentCrmProductId, merchandiseNum, merchandiseName, parentMerchandiseNum } =
    merchandise.bought!;
  const texts = [crmProductId, parentCrmProductId, merchandiseNum, merchandiseName, parentMerchandiseNum];
  return texts.reduce((sum, { length }) => sum + length, merchandise.bought!.timeDurationExpression.length);
}

/** The same of a new product. */
export function lengthOfProduct({ product }: LedgerChanges['newProducts'][number]): number {
  const { crmProductId, productUri, productName } = product.bought!;
  return crmProductId.length + productUri.length + productName.length + writeDetails(product.bought!).length;
}

/** The details of products as JSON. Thousands of rows may share those of one that was bought. */
const writtenDetails = new WeakMap<ProductToBuy, string>();

/** Writes the details of a product as JSON, once however many assets it was bought for. */
function writeDetails(product: ProductToBuy): string {
  const before = writtenDetails.get(product);
  if (before !== undefined) return before;
  const json = JSON.stringify(pickDetails(product));
  writtenDetails.set(product, json);
  return json;
}

/** Picks the fields of a product that have no column of their own. */
function pickDetails(product: ProductToBuy) {
  const { gmsPid, appKey, productType, parentCrmProductId, limitTimeDuration, trial, trialEndDate } = product;
  const { passwords, timeUnit, timeUnitQuantity, timeDurationExpression, productFeatures } = product;
  return {
    gmsPid,
    appKey,
    productType,
    parentCrmProductId,
    limitTimeDuration,
    trial,
    trialEndDate,
    passwords,
    timeUnit,
    timeUnitQuantity,
    timeDurationExpression,
    productFeatures,
  };
}

/** The columns that say what revoked a row: an order may revoke what another order of the same group has bought. */
function revocationColumns(orderIds: readonly (LicenseOrderId | null)[]): Column[] {
  const flags = orderIds.map((orderId) => orderId !== null);
  return [
    ['revoked_time', 'boolean', flags, () => 'case when revoked_time then statement_timestamp() end'],
    ['revoked_by_order_id', 'bigint', orderIds],
  ];
}

/**
 * The orders that stand for instances; null if that is the order that bought it, because most are never transferred.
 */
function holderIds(instances: readonly Instance[]): (string | null)[] {
  return instances.map((instance) => {
    const holderId = heldBy(instance);
    return holderId === instance.licenseOrderId ? null : holderId;
  });
}
