import type { LedgerScope } from '@lockstep/assets';
import type { Channels, Merchandise, Order, ProductToBuy } from '@lockstep/contract';

/** The part of the ledger that planning these orders reads. */
export function scopeOf(orders: Iterable<{ order: Order; channels: Channels }>): LedgerScope {
  const scope: LedgerScope = {
    customerIds: new Set(),
    purchaseIds: new Set(),
    assetNums: new Set(),
    fullAssetNums: new Set(),
    owners: false,
  };
  for (const { order, channels } of orders) {
    if (channels !== null) scope.owners = true;
    scope.customerIds.add(order.customerId);
    if (order.srcLicenseOrderId !== undefined) scope.purchaseIds.add(order.srcLicenseOrderId);
    for (const { assetNos } of order.assets) for (const assetNum of assetNos) scope.assetNums.add(assetNum);
    for (const assetNum of fullNumbersOf(order)) scope.fullAssetNums.add(assetNum);
    if (order.orderType === 'new_buy') {
      for (const product of order.assets.flatMap(productsOf)) {
        if (product.srcLicenseOrderId !== undefined) scope.purchaseIds.add(product.srcLicenseOrderId);
      }
    }
  }
  return scope;
}

/** The numbers of an order whose contents it may revoke or take over. */
function* fullNumbersOf(order: Order): Generator<string> {
  if (order.orderType !== 'new_buy') yield* order.assets.flatMap(({ assetNos }) => assetNos);
  else for (const asset of order.assets) if (asset.transferedAssetNum) yield* asset.assetNos;
}

function productsOf(asset: {
  products?: ProductToBuy[] | undefined;
  merchandises?: Merchandise[] | undefined;
}): ProductToBuy[] {
  return [...(asset.products ?? []), ...(asset.merchandises ?? []).flatMap(productsIn)];
}

function productsIn(merchandise: Merchandise): ProductToBuy[] {
  return [...merchandise.licenseOrderProductList, ...(merchandise.children ?? []).flatMap(productsIn)];
}
