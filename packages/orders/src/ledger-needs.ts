import type { LedgerNeeds } from '@lockstep/assets';
import type { Channels, Merchandise, NewBuyOrder, Order, ProductToBuy } from '@lockstep/contract';

/** Collects what planning these orders reads of the ledger. */
export function collectNeeds(orders: Iterable<{ order: Order; channels: Channels }>): LedgerNeeds {
  const needs: LedgerNeeds = {
    customerIds: new Set(),
    purchaseIds: new Set(),
    assetNums: new Set(),
    fullAssetNums: new Set(),
    owners: false,
  };
  for (const { order, channels } of orders) {
    if (channels !== null) needs.owners = true;
    needs.customerIds.add(order.customerId);
    if (order.srcLicenseOrderId !== undefined) needs.purchaseIds.add(order.srcLicenseOrderId);
    for (const { assetNos } of order.assets) for (const assetNum of assetNos) needs.assetNums.add(assetNum);
    for (const assetNum of listFullNumbers(order)) needs.fullAssetNums.add(assetNum);
    if (order.orderType === 'new_buy') {
      for (const { srcLicenseOrderId } of order.assets.flatMap(listProducts)) {
        if (srcLicenseOrderId !== undefined) needs.purchaseIds.add(srcLicenseOrderId);
      }
    }
  }
  return needs;
}

/** The numbers of an order that may revoke or take over what is on their assets. */
function* listFullNumbers(order: Order): Generator<string> {
  if (order.orderType !== 'new_buy') yield* order.assets.flatMap(({ assetNos }) => assetNos);
  else for (const asset of order.assets) if (asset.transferedAssetNum) yield* asset.assetNos;
}

function listProducts({ products = [], merchandises = [] }: NewBuyOrder['assets'][number]): ProductToBuy[] {
  return [...products, ...merchandises.flatMap(listProductsIn)];
}

function listProductsIn({ licenseOrderProductList, children = [] }: Merchandise): ProductToBuy[] {
  return [...licenseOrderProductList, ...children.flatMap(listProductsIn)];
}
