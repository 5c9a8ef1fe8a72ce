import type { HistoryEntry } from '../asset-traces.ts';
import { success } from '../envelope.ts';
import { BORROWED_LOCK, exampleBatches, KEPT_LOCK, KEPT_LOCK_ID, YEAR_2026 } from './batches.ts';
import { HEAD_OFFICE } from './demo.ts';
import { MODELLING_ID, OFFICE_ID, office } from './holdings.ts';
import { type ExamplesOf, refused, TIME, type Written } from './operation.ts';
import { LICENSE_ORDER_ID } from './orders.ts';

const UNKNOWN_NUMBER = '8100000404';

export const getAsset: ExamplesOf<'getAsset'> = {
  answers: {
    200: {
      lock: {
        summary: 'A lock of the batch new_buy of O5, which an employee holds and M10 has lent',
        value: success({
          assetId: KEPT_LOCK_ID,
          assetNum: KEPT_LOCK,
          licenseType: 'normal_recover_usbkey',
          customerId: HEAD_OFFICE.customerId,
          enterpriseGlobalId: HEAD_OFFICE.enterpriseGlobalId,
          ...YEAR_2026,
          locked: false,
          borrowedUsbKey: false,
          assetExtendList: [],
          licenseOrderIds: [LICENSE_ORDER_ID],
          products: [],
          merchandises: [office],
          assigned: true,
          lentInto: BORROWED_LOCK,
        }),
      },
    },
    299: refused('No such asset', 'asset_not_found', UNKNOWN_NUMBER),
  },
};

const { channelCode, channelOrderId } = exampleBatches.new_buy;

const entry = (own: Partial<Written<HistoryEntry>> & Pick<HistoryEntry, 'action'>): Written<HistoryEntry> => ({
  time: TIME,
  assetId: KEPT_LOCK_ID,
  licenseOrderId: LICENSE_ORDER_ID,
  channelCode,
  channelOrderId,
  customerId: HEAD_OFFICE.customerId,
  productUri: null,
  instanceId: null,
  operatorIdentity: null,
  ...own,
});
const byOperator = {
  licenseOrderId: null,
  channelCode: null,
  channelOrderId: null,
  operatorIdentity: 'li.wei@works.example',
};
const byRevocation = { licenseOrderId: '24576', channelOrderId: exampleBatches.delete_product.channelOrderId };

export const getAssetHistory: ExamplesOf<'getAssetHistory'> = {
  answers: {
    200: {
      lock: {
        summary: 'A lock that was bought, lost a product, was disabled and enabled again',
        value: success({
          entries: [
            entry({ action: 'unlocked', ...byOperator }),
            entry({ action: 'locked', ...byOperator }),
            entry({ action: 'product_revoked', ...byRevocation, productUri: 'gms-estimator', instanceId: '1000006' }),
            entry({ action: 'product_bought', productUri: 'app-modeller', instanceId: '1000008' }),
            entry({ action: 'product_bought', productUri: 'app-office', instanceId: '1000007' }),
            entry({ action: 'product_bought', productUri: 'gms-estimator', instanceId: '1000006' }),
            entry({ action: 'merchandise_bought', instanceId: MODELLING_ID }),
            entry({ action: 'merchandise_bought', instanceId: OFFICE_ID }),
            entry({ action: 'created' }),
          ],
          nextCursor: null,
        }),
      },
    },
    299: refused('A cursor of another list', 'field_invalid', 'cursor', 'is not a cursor of this list'),
  },
};
