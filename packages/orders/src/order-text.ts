import type { Merchandise, NewBuyOrder, Order, ProductToBuy } from '@lockstep/contract';

/** The version of payloads that consist of `orderText` (lane_chunk.payload_version, failed_order.payload_version). */
export const PAYLOAD_VERSION = 1;
/** The version of digests over `orderText` (batch.digest_version). */
export const DIGEST_VERSION = 1;

/**
 * Writes an order as text, in form 1: digests are over it, and it is stored until the order has taken effect. The form
 * never changes: its fields and their order are written out here, so an order has the same text in whatever order a client
 * sent the fields, and however many more fields the schema gets. What is absent is left out.
 *
 * A field that a later release brings gets a form and a version of its own. This one stays, because batches that were
 * accepted under it are compared under it (rules 6.1).
 */
export function orderText(order: Order): string {
  return JSON.stringify({
    sequence: order.sequence,
    customerId: order.customerId,
    crmCustomerId: order.crmCustomerId,
    customerName: order.customerName,
    channelCustomerId: order.channelCustomerId,
    adminName: order.adminName,
    adminAccount: order.adminAccount,
    adminEmail: order.adminEmail,
    adminCellNumber: order.adminCellNumber,
    passwordMobile: order.passwordMobile,
    address: order.address,
    customerType: order.customerType,
    branchCode: order.branchCode,
    branchName: order.branchName,
    enterpriseGlobalId: order.enterpriseGlobalId,
    srcLicenseOrderId: order.srcLicenseOrderId,
    licenseType: order.licenseType,
    orderType: order.orderType,
    assets: listAssets(order),
  });
}

function listAssets(order: Order): unknown[] {
  switch (order.orderType) {
    case 'new_buy':
      return order.assets.map(assetToBuy);
    case 'delete_asset':
      return order.assets.map(({ assetNos }) => ({ assetNos }));
    case 'delete_product':
      return order.assets.map(({ assetNos, limitStartDate, limitEndDate, products }) => ({
        assetNos,
        limitStartDate,
        limitEndDate,
        products: products.map((product) => ({
          crmProductId: product.crmProductId,
          productUri: product.productUri,
          limitStartDate: product.limitStartDate,
          limitEndDate: product.limitEndDate,
          limitConcurrent: product.limitConcurrent,
          strictMatchWhenDelete: product.strictMatchWhenDelete,
        })),
      }));
  }
}

function assetToBuy(asset: NewBuyOrder['assets'][number]): unknown {
  return {
    assetNos: asset.assetNos,
    assetExtendList: asset.assetExtendList?.map(({ extendCode, extendValue }) => ({ extendCode, extendValue })),
    limitStartDate: asset.limitStartDate,
    limitEndDate: asset.limitEndDate,
    borrowedUsbKey: asset.borrowedUsbKey,
    transferedAssetNum: asset.transferedAssetNum,
    products: asset.products?.map(productToBuy),
    merchandises: asset.merchandises?.map(merchandise),
  };
}

function productToBuy(product: ProductToBuy): unknown {
  return {
    crmProductId: product.crmProductId,
    parentCrmProductId: product.parentCrmProductId,
    productUri: product.productUri,
    productName: product.productName,
    gmsPid: product.gmsPid,
    appKey: product.appKey,
    productType: product.productType,
    limitStartDate: product.limitStartDate,
    limitEndDate: product.limitEndDate,
    limitConcurrent: product.limitConcurrent,
    limitTimeDuration: product.limitTimeDuration,
    strictMatchWhenDelete: product.strictMatchWhenDelete,
    trial: product.trial,
    trialEndDate: product.trialEndDate,
    passwords: product.passwords,
    timeUnit: product.timeUnit,
    timeUnitQuantity: product.timeUnitQuantity,
    timeDurationExpression: product.timeDurationExpression,
    srcLicenseOrderId: product.srcLicenseOrderId,
    productFeatures: product.productFeatures.map((feature) => ({
      featureCode: feature.featureCode,
      featureName: feature.featureName,
      featureValue: feature.featureValue,
      featureValueType: feature.featureValueType,
      trial: feature.trial,
      trialEndDate: feature.trialEndDate,
    })),
  };
}

function merchandise(bought: Merchandise): unknown {
  return {
    crmProductId: bought.crmProductId,
    parentCrmProductId: bought.parentCrmProductId,
    merchandiseNum: bought.merchandiseNum,
    merchandiseName: bought.merchandiseName,
    parentMerchandiseNum: bought.parentMerchandiseNum,
    timeDurationExpression: bought.timeDurationExpression,
    children: bought.children?.map(merchandise),
    licenseOrderProductList: bought.licenseOrderProductList.map(productToBuy),
  };
}
