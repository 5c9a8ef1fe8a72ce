import type { SentBody } from '../operations/index.ts';
import { HEAD_OFFICE } from './operation.ts';

type SentBatch = SentBody<'createBatchOrder'>;
type SentOrder = SentBatch['orderList'][number];

/** The locks that the batches below buy: one of them is revoked again. */
export const KEPT_LOCK = '8100000101';
const REVOKED_LOCK = '8100000102';
/** The borrowed lock that another sync batch buys. */
export const BORROWED_LOCK = '8100000103';
/** The cloud license that the sync batch buys, and its extended attribute. */
export const CLOUD_LICENSE = '8300000101';
export const REGION = { extendCode: 'region', extendValue: 'north' };
/** The id of the first of them where the batches below are the first of a service. */
export const KEPT_LOCK_ID = '1000000';
/** From 2026 through 2099, so that the recorded answers say the same for long. */
const IN_FORCE = { limitStartDate: 1_767_225_600_000, limitEndDate: 4_102_444_799_999 };

/** The header of the orders, which says of the customer what examples/ do. */
const header = {
  sequence: 1,
  customerId: HEAD_OFFICE.customerId,
  crmCustomerId: 'CRM-88001',
  customerName: 'Demo Works Head Office',
  channelCustomerId: HEAD_OFFICE.channelCustomerId,
  adminName: 'Li Wei',
  adminAccount: 'liwei',
  adminEmail: 'li.wei@works.example',
  adminCellNumber: '13800000001',
  passwordMobile: '13800000001',
  address: '18 Harbour Road, Block 2',
  customerType: 'company',
  branchCode: 'B021',
  branchName: 'Demo Branch',
  enterpriseGlobalId: HEAD_OFFICE.enterpriseGlobalId,
  licenseType: 'normal_recover_usbkey',
} satisfies Partial<SentOrder>;

const oneYear = {
  ...IN_FORCE,
  limitConcurrent: 1,
  limitTimeDuration: 0,
  strictMatchWhenDelete: false,
  trial: 0,
  trialEndDate: 0,
  timeUnit: 'year',
  timeUnitQuantity: 1,
  timeDurationExpression: '1-0-0',
};

const estimator = {
  crmProductId: 'CP-3001',
  parentCrmProductId: '',
  productUri: 'gms-estimator',
  productName: 'Cost Estimator',
  gmsPid: 'gms-estimator',
  productType: 'tool',
  ...oneYear,
  productFeatures: [
    {
      featureCode: 'F-ROWS',
      featureName: 'Rows per sheet',
      featureValue: '50000',
      featureValueType: 'number',
      trial: 0,
      trialEndDate: 0,
    },
  ],
};

function webProduct(crmProductId: string, parentCrmProductId: string, productUri: string, productName: string) {
  return {
    crmProductId,
    parentCrmProductId,
    productUri,
    productName,
    appKey: productUri,
    productType: 'web',
    ...oneYear,
    productFeatures: [],
  };
}

const office = {
  crmProductId: 'CM-3001',
  parentCrmProductId: '',
  merchandiseNum: 'M-OFFICE',
  merchandiseName: 'Office package',
  parentMerchandiseNum: '',
  timeDurationExpression: '1-0-0',
  children: [
    {
      crmProductId: 'CM-3002',
      parentCrmProductId: 'CM-3001',
      merchandiseNum: 'M-OFFICE-BIM',
      merchandiseName: 'Modelling add-on',
      parentMerchandiseNum: 'M-OFFICE',
      timeDurationExpression: '1-0-0',
      licenseOrderProductList: [webProduct('CP-3003', 'CM-3002', 'app-modeller', 'Modeller')],
    },
  ],
  licenseOrderProductList: [webProduct('CP-3002', 'CM-3001', 'app-office', 'Office')],
};

const purchase: SentOrder = {
  ...header,
  orderType: 'new_buy',
  assets: [{ assetNos: [KEPT_LOCK, REVOKED_LOCK], ...IN_FORCE, products: [estimator], merchandises: [office] }],
};

const assetRevocation: SentOrder = {
  ...header,
  orderType: 'delete_asset',
  assets: [{ assetNos: [REVOKED_LOCK] }],
};

/** Revokes the product of `purchase` where it has so many nodes. */
const productRevocation = (limitConcurrent: number): SentOrder => ({
  ...header,
  orderType: 'delete_product',
  assets: [
    {
      assetNos: [KEPT_LOCK],
      products: [
        {
          crmProductId: 'CP-3001',
          productUri: 'gms-estimator',
          ...IN_FORCE,
          limitConcurrent,
          strictMatchWhenDelete: true,
        },
      ],
    },
  ],
});

const viewer = webProduct('CP-3004', '', 'app-viewer', 'Model Viewer');

const cloudPurchase: SentOrder = {
  ...header,
  licenseType: 'cloud_customer',
  orderType: 'new_buy',
  assets: [{ assetNos: [CLOUD_LICENSE], assetExtendList: [REGION], ...IN_FORCE, products: [viewer] }],
};

const lockPurchase: SentOrder = {
  ...header,
  orderType: 'new_buy',
  assets: [{ assetNos: [BORROWED_LOCK], borrowedUsbKey: true, ...IN_FORCE, products: [viewer] }],
};

const batch = (channelOrderId: string, syncMode: SentBatch['syncMode'], order: SentOrder) => ({
  channelCode: HEAD_OFFICE.channelCode,
  channelOrderId,
  syncMode,
  orderList: [order],
});

/**
 * Batches for a demo customer, each of which finds what those before it have left when they are sent in this order.
 * Their numbers are not those of examples/, so that both can be tried.
 */
export const exampleBatches = {
  new_buy: batch('DOCS-0001', 'async', purchase),
  delete_asset: batch('DOCS-0002', 'async', assetRevocation),
  delete_product: batch('DOCS-0003', 'async', productRevocation(1)),
  sync: batch('DOCS-0004', 'sync', cloudPurchase),
  borrowed_lock: batch('DOCS-0005', 'sync', lockPurchase),
  /** A delete_product that matches nothing. */
  no_match: batch('DOCS-0006', 'async', productRevocation(5)),
} satisfies Record<string, SentBatch>;
