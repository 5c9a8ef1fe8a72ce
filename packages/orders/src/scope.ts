import type { LedgerScope } from '@lockstep/assets';
import type { Merchandise, OrderType, ProductToBuy } from '@lockstep/contract';
import type { AcceptedOrder } from './plan.ts';

/** The part of the ledger that planning these orders reads. */
export function scopeOf(orders: Iterable<Pick<AcceptedOrder, 'order' | 'channels'>>): LedgerScope {
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
    for (const asset of order.assets) {
      for (const assetNum of asset.assetNos) {
        scope.assetNums.add(assetNum);
        if (mayTakeContents(asset, order.orderType)) scope.fullAssetNums.add(assetNum);
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

/** Whether an element may revoke or take over what is on its assets. */
function mayTakeContents(asset: { transferedAssetNum?: boolean | undefined }, orderType: OrderType): boolean {
  return orderType !== 'new_buy' || asset.transferedAssetNum === true;
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
