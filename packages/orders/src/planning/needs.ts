import type { Asset, ContentsNeeds, Ledger, LedgerNeeds } from '@lockstep/assets';
import type { Channels, DeleteProductOrder, Merchandise, NewBuyOrder, Order, ProductToBuy } from '@lockstep/contract';
import { kindAndTerms } from './matching.ts';

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
