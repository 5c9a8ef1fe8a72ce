import { success } from '../envelope.ts';
import type { MerchandiseNode, ProductNode } from '../holdings.ts';
import {
  BORROWED_LOCK,
  BORROWED_LOCK_ID,
  CLOUD_LICENCE,
  CLOUD_LICENCE_ID,
  exampleBatches,
  KEPT_LOCK,
  KEPT_LOCK_ID,
  YEAR_2026,
} from './batches.ts';
import { CLOUD_EMPLOYEE, HEAD_OFFICE } from './demo.ts';
import { type ExamplesOf, refusedMember, TIME, type Written } from './operation.ts';
import { LICENSE_ORDER_ID } from './orders.ts';

export const listEnterpriseAssets: ExamplesOf<'listEnterpriseAssets'> = {
  answers: {
    200: {
      two: {
        summary: 'A lock that an employee holds and that is lent, and a licence that nobody holds',
        value: success([
          {
            assetNum: KEPT_LOCK,
            assetId: KEPT_LOCK_ID,
            cloudAccountGlobalId: CLOUD_EMPLOYEE.globalId,
            borrowedFlag: true,
            onlineFlag: false,
          },
          {
            assetNum: CLOUD_LICENCE,
            assetId: CLOUD_LICENCE_ID,
            cloudAccountGlobalId: null,
            borrowedFlag: false,
            onlineFlag: false,
          },
        ]),
      },
    },
    299: refusedMember('The userToken has ended', 'user_token_invalid'),
  },
};

/** What the instances of the batch new_buy of O5 have in common. */
const instance = {
  licenseType: 'normal_recover_usbkey',
  customerId: HEAD_OFFICE.customerId,
  licenseOrderId: LICENSE_ORDER_ID,
  channelCode: exampleBatches.new_buy.channelCode,
  channelOrderId: exampleBatches.new_buy.channelOrderId,
  timeDurationExpression: '1-0-0',
  srcLicenseOrderId: null,
  createTime: TIME,
  updateTime: TIME,
} as const;

const product = (
  id: string,
  own: Pick<Written<ProductNode>, 'merchandiseInsId' | 'productUri' | 'productName' | 'crmProductId'>,
): Written<ProductNode> => ({
  id,
  ...instance,
  assetId: KEPT_LOCK_ID,
  assetInsId: KEPT_LOCK_ID,
  assetNum: KEPT_LOCK,
  gmsPid: '',
  appKey: own.productUri,
  limitStartTime: YEAR_2026.limitStartDate,
  limitEndTime: YEAR_2026.limitEndDate,
  limitAmount: 0,
  limitConcurrent: 1,
  limitTimeDuration: 0,
  trial: 0,
  trialEndDate: 0,
  limitType: 'basic',
  prodDefExtend: false,
  activateFlag: true,
  productExtendInstanceList: [],
  ...own,
});

export const OFFICE_ID = '1000002';
export const MODELLING_ID = '1000003';

/** The merchandise of the lock that is kept. */
export const office: Written<MerchandiseNode> = {
  id: OFFICE_ID,
  ...instance,
  merchandiseNum: 'M-OFFICE',
  merchandiseName: 'Office package',
  parentId: null,
  parentMerchandiseNum: '',
  children: [
    {
      id: MODELLING_ID,
      ...instance,
      merchandiseNum: 'M-OFFICE-BIM',
      merchandiseName: 'Modelling add-on',
      parentId: OFFICE_ID,
      parentMerchandiseNum: 'M-OFFICE',
      children: null,
      productInstanceList: [
        product('1000008', {
          merchandiseInsId: MODELLING_ID,
          productUri: 'app-modeller',
          productName: 'Modeller',
          crmProductId: 'CP-3003',
        }),
      ],
    },
  ],
  productInstanceList: [
    product('1000007', {
      merchandiseInsId: OFFICE_ID,
      productUri: 'app-office',
      productName: 'Office',
      crmProductId: 'CP-3002',
    }),
  ],
};

export const readAssetContents: ExamplesOf<'readAssetContents'> = {
  answers: {
    200: {
      lock: {
        summary: 'A lock with nested merchandise, before M10 lends it',
        value: success({ productInstanceList: [], children: [office] }),
      },
    },
    299: refusedMember('No such asset', 'asset_id_not_found', '404'),
  },
};

export const listBorrowedLocks: ExamplesOf<'listBorrowedLocks'> = {
  answers: {
    200: {
      lent: {
        summary: 'The lock of the batch borrowed_lock of O5, after M10',
        value: success([
          {
            assetId: BORROWED_LOCK_ID,
            assetNum: BORROWED_LOCK,
            borrowedFlag: true,
            cloudAccountGlobalId: CLOUD_EMPLOYEE.globalId,
          },
        ]),
      },
    },
    299: refusedMember('The clientToken is missing', 'client_token_missing'),
  },
};

export const configureAssets: ExamplesOf<'configureAssets'> = {
  bodies: {
    assign: {
      summary: 'The lock of the batch new_buy of O5, and the licence of the batch sync',
      value: { deleteAssets: [], addAssets: [KEPT_LOCK, CLOUD_LICENCE] },
    },
    withdraw: { summary: 'The licence is taken back', value: { deleteAssets: [CLOUD_LICENCE], addAssets: [] } },
  },
  answers: {
    200: {
      assign: { summary: 'Done', value: success(null) },
      withdraw: { summary: 'Done', value: success(null) },
    },
    299: refusedMember('A number is named twice', 'asset_configured_twice', 'addAssets[1]', KEPT_LOCK, 'named before'),
  },
};

export const lendAssets: ExamplesOf<'lendAssets'> = {
  bodies: {
    lock: {
      summary: 'What the employee holds, into the lock of the batch borrowed_lock of O5',
      value: { borrowedUsbKey: BORROWED_LOCK, assetIDs: [KEPT_LOCK_ID] },
    },
  },
  answers: {
    200: { lock: { summary: 'Done', value: success(null) } },
    299: refusedMember('The employee does not hold the asset', 'asset_not_held', 'assetIDs[0]', KEPT_LOCK_ID),
  },
};
