import { randomUUID } from 'node:crypto';

/** Orders as a channel sends them: valid JSON bodies with every required field, which tests can vary. */
export type Sent = Record<string, unknown>;

let sequence = 0;

export function productToBuy(changes: Sent = {}): Sent {
  return {
    crmProductId: 'crm-1',
    parentCrmProductId: '',
    productUri: 'gms-100',
    productName: 'Cost Estimator',
    productType: 'tool',
    limitConcurrent: 1,
    limitTimeDuration: 0,
    trial: 0,
    trialEndDate: 0,
    timeUnit: 'year',
    timeUnitQuantity: 1,
    timeDurationExpression: '1-0-0',
    productFeatures: [],
    ...changes,
  };
}

export function feature(changes: Sent = {}): Sent {
  return {
    featureCode: 'F1',
    featureName: 'Feature',
    featureValue: '1',
    featureValueType: 'int',
    trial: 0,
    trialEndDate: 0,
    ...changes,
  };
}

export function productToRevoke(changes: Sent = {}): Sent {
  return { crmProductId: 'crm-1', productUri: 'gms-100', limitConcurrent: 1, strictMatchWhenDelete: false, ...changes };
}

export function merchandise(changes: Sent = {}): Sent {
  return {
    crmProductId: 'crm-m1',
    parentCrmProductId: '',
    merchandiseNum: 'M-1',
    merchandiseName: 'Office package',
    parentMerchandiseNum: '',
    timeDurationExpression: '1-0-0',
    licenseOrderProductList: [productToBuy()],
    ...changes,
  };
}

/** What an order says of its customer and who buys. */
export const CONTACT = {
  crmCustomerId: 'crm-customer',
  customerName: 'Customer',
  adminName: 'Admin',
  adminAccount: 'admin',
  adminEmail: 'admin@example.com',
  adminCellNumber: '13800000000',
  passwordMobile: '13800000000',
  address: '1 Main Street',
  customerType: 'company',
  branchCode: 'B1',
  branchName: 'Branch',
};

/** The fields of an order about its customer. */
type OrderingCustomer = Record<'customerId' | 'channelCustomerId' | 'enterpriseGlobalId', string>;

function header(customer: OrderingCustomer): Sent {
  return {
    sequence: ++sequence,
    ...CONTACT,
    customerId: customer.customerId,
    channelCustomerId: customer.channelCustomerId,
    enterpriseGlobalId: customer.enterpriseGlobalId,
    licenseType: 'normal_recover_usbkey',
  };
}

/** Returns a new_buy of one product for these asset numbers. */
export function newBuy(customer: OrderingCustomer, assetNos: string[], changes: Sent = {}, element: Sent = {}): Sent {
  const assets = [{ assetNos, products: [productToBuy()], ...element }];
  return { ...header(customer), orderType: 'new_buy', assets, ...changes };
}

export function deleteAsset(customer: OrderingCustomer, assetNos: string[], changes: Sent = {}): Sent {
  return { ...header(customer), orderType: 'delete_asset', assets: [{ assetNos }], ...changes };
}

export function deleteProduct(
  customer: OrderingCustomer,
  assetNos: string[],
  product: Sent = {},
  changes: Sent = {},
): Sent {
  const assets = [{ assetNos, products: [productToRevoke(product)] }];
  return { ...header(customer), orderType: 'delete_product', assets, ...changes };
}

/** What a result says of an order that succeeded, but for what it did and when. */
export const SUCCEEDED = {
  ...{ state: 'succeeded', code: null, cause: null, message: null },
  ...{ args: null, assetNums: [], places: [] },
};

/** Returns an async batch with a unique channelOrderId. */
export function batchOf(...orderList: Sent[]) {
  return { channelCode: 'test', channelOrderId: randomUUID() as string, syncMode: 'async' as const, orderList };
}

/** Returns a unique asset number. */
export function newAssetNum(): string {
  return `8${String(Math.floor(Math.random() * 1e12)).padStart(12, '0')}`;
}
