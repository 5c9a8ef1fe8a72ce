import { type Asset, advance, type ContentsNeeds, type Effects, type Ledger, type LedgerNeeds } from '@lockstep/assets';
import {
  type Channels,
  CONTACT_FIELDS,
  type ContactFields,
  type DeleteProductOrder,
  type Merchandise,
  type NewBuyOrder,
  type Order,
  type ProductToBuy,
  Refusal,
} from '@lockstep/contract';
import { kindAndTerms } from './matching.ts';
import {
  checkCustomer,
  countEffects,
  failOrder,
  LIMITS,
  type Limits,
  type OrderWithId,
  type Outcome,
} from './order.ts';
import { planNewBuy } from './purchase.ts';
import { planDeleteAsset, planDeleteProduct } from './revocation.ts';

/**
 * Returns the effects of an order (rules 6.5). Does not change the ledger; `advance` does.
 *
 * Throws the order's first fault as a Refusal: it checks the customer, the enterprise and the source order, then
 * elements, asset numbers and products in the order sent. An order is too large as soon as it has touched too much.
 */
export function planOrder(ledger: Ledger, accepted: OrderWithId, limits: Limits = LIMITS): Effects {
  checkCustomer(ledger, accepted);
  const { order } = accepted;
  switch (order.orderType) {
    case 'new_buy':
      return planNewBuy(ledger, accepted, order, limits);
    case 'delete_asset':
      return planDeleteAsset(ledger, order, limits);
    case 'delete_product':
      return planDeleteProduct(ledger, order, limits);
  }
}

export type Planned =
  | { accepted: OrderWithId; effects: Effects; refusal: null }
  | { accepted: OrderWithId; effects: null; refusal: Refusal };

export function tryPlan(ledger: Ledger, accepted: OrderWithId, limits: Limits): Planned {
  try {
    return { accepted, effects: planOrder(ledger, accepted, limits), refusal: null };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { accepted, effects: null, refusal: error };
  }
}

export function outcomeOf({ accepted, effects, refusal }: Planned): Outcome {
  return refusal === null ? { accepted, failure: null, ...countEffects(effects) } : failOrder(accepted, refusal);
}

/** Notes what an order that takes effect says of who buys, if its customer's order before said otherwise (rules 5). */
export function noteContact({ customers, changes }: Ledger, { licenseOrderId, order }: OrderWithId): void {
  const customer = customers.get(order.customerId)!;
  if (CONTACT_FIELDS.every((field) => customer.contact?.[field] === order[field])) return;
  const contact = Object.fromEntries(CONTACT_FIELDS.map((field) => [field, order[field]])) as ContactFields;
  customer.contact = contact;
  changes.contacts.set(order.customerId, { licenseOrderId, contact });
}

/** Plans orders one after the other on a ledger with everything loaded; each sees the effects of those before it. */
export function planAll(ledger: Ledger, orders: readonly OrderWithId[], limits: Limits = LIMITS): Outcome[] {
  return orders.map((accepted) => {
    const planned = tryPlan(ledger, accepted, limits);
    if (planned.refusal === null) advance(ledger, accepted.licenseOrderId, planned.effects);
    return outcomeOf(planned);
  });
}

/** Returns what planning these orders reads from the ledger, except the contents of assets (see collectContents). */
export function collectNeeds(orders: Iterable<{ order: Order; channels: Channels }>): LedgerNeeds {
  const needs: LedgerNeeds = {
    customerIds: new Set(),
    purchaseIds: new Set(),
    assetNums: new Set(),
    codes: new Set(),
    owners: false,
  };
  for (const { order, channels } of orders) {
    if (channels !== null) needs.owners = true;
    needs.customerIds.add(order.customerId);
    if (order.srcLicenseOrderId !== undefined) needs.purchaseIds.add(order.srcLicenseOrderId);
    const assetNums = order.assets.flatMap(({ assetNos }) => assetNos);
    for (const assetNum of assetNums) needs.assetNums.add(assetNum);
    if (order.orderType === 'new_buy') {
      for (const { extendCode } of order.assets.flatMap(({ assetExtendList = [] }) => assetExtendList)) {
        if (extendCode !== undefined) needs.codes.add(extendCode);
      }
      for (const { srcLicenseOrderId } of order.assets.flatMap(listProducts)) {
        if (srcLicenseOrderId !== undefined) needs.purchaseIds.add(srcLicenseOrderId);
      }
    }
  }
  return needs;
}

/**
 * Returns what planning these orders reads from the contents of assets, in the order in which it is read, as far as the
 * ledger tells before any is planned. For several orders, this includes what earlier ones may make necessary.
 */
export function collectContents(ledger: Ledger, orders: readonly { order: Order }[]): ContentsNeeds {
  const needs: ContentsNeeds = { bought: new Set(), grantsOf: new Set(), counts: new Map(), lookUps: [] };
  /**
   * Assets that these orders may transfer. After a transfer, another order holds their contents, which is not known
   * before.
   */
  const mayMove = new Set<Asset>();
  for (const { order } of orders) {
    const assetsOf = ({ assetNos }: { assetNos: string[] }) =>
      assetNos.flatMap((assetNum) => ledger.assets.get(assetNum) ?? []);
    if (order.orderType === 'new_buy') {
      for (const element of order.assets) {
        const bought = assetsOf(element);
        for (const asset of bought) needs.bought.add(asset);
        if (element.transferedAssetNum !== true) continue;
        const transferred = bought.filter(({ customerId }) => orders.length > 1 || customerId !== order.customerId);
        for (const asset of transferred) needs.grantsOf.add(asset);
        for (const asset of transferred) mayMove.add(asset);
      }
      continue;
    }
    for (const element of order.assets) {
      for (const asset of assetsOf(element)) {
        needs.grantsOf.add(asset);
        const source = mayMove.has(asset) ? null : (order.srcLicenseOrderId ?? null);
        if (order.orderType === 'delete_asset') {
          needs.counts.set(`${asset.id} ${source}`, { asset, source });
          continue;
        }
        for (const product of (element as DeleteProductOrder['assets'][number]).products) {
          const { kind, terms } = kindAndTerms(product);
          const { productUri } = product;
          needs.lookUps.push({ asset, productUri, terms: kind === 'strict' ? terms : null, source });
        }
      }
    }
  }
  return needs;
}

function listProducts({ products = [], merchandises = [] }: NewBuyOrder['assets'][number]): ProductToBuy[] {
  return [...products, ...merchandises.flatMap(listProductsIn)];
}

function listProductsIn({ licenseOrderProductList, children = [] }: Merchandise): ProductToBuy[] {
  return [...licenseOrderProductList, ...children.flatMap(listProductsIn)];
}
