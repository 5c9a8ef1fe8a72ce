import type { LedgerScope } from '@lockstep/assets';
import type { Merchandise, Order, ProductToBuy } from '@lockstep/contract';

/** The part of the ledger that planning these orders reads. */
export function scopeOf(orders: Iterable<Order>): LedgerScope {
  const scope: LedgerScope = {
    customerIds: new Set(),
    purchaseIds: new Set(),
    assetNums: new Set(),
    emptiedAssetNums: new Set(),
  };
  for (const order of orders) {
    scope.customerIds.add(order.customerId);
    if (order.srcLicenseOrderId !== undefined) scope.purchaseIds.add(order.srcLicenseOrderId);
    for (const asset of order.assets) {
      for (const assetNum of asset.assetNos) {
        scope.assetNums.add(assetNum);
        if (order.orderType !== 'new_buy') scope.emptiedAssetNums.add(assetNum);
      }
    }
    if (order.orderType === 'new_buy') {
      for (const product of order.assets.flatMap(productsOf)) {
        if (product.srcLicenseOrderId !== undefined) scope.purchaseIds.add(product.srcLicenseOrderId);
      }
    }
  }
  return scope;
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
