import type { ChangeLocks, LockResult } from '../assets.ts';
import { success } from '../envelope.ts';
import { CLOUD_LICENCE, CLOUD_LICENCE_ID, KEPT_LOCK, REGION, YEAR_2026 } from './batches.ts';
import { HEAD_OFFICE } from './demo.ts';
import { type Examples, type ExamplesOf, refused, type Success, TIME } from './operation.ts';

const UNKNOWN_NUMBER = '8100000199';

const lockBodies: Examples<ChangeLocks> = {
  locks: {
    summary: 'A lock of the batch new_buy of O5, and one that is not there',
    value: { assetNums: [KEPT_LOCK, UNKNOWN_NUMBER], operatorIdentity: 'li.wei@works.example' },
  },
};
const lockResults: Success<LockResult[]> = success([
  { assetNum: KEPT_LOCK, status: 1 },
  { assetNum: UNKNOWN_NUMBER, status: 2 },
]);

export const lockAssets: ExamplesOf<'lockAssets'> = {
  bodies: lockBodies,
  answers: {
    200: { locks: { summary: 'One is disabled', value: lockResults } },
    299: refused('A field is missing', 'field_missing', 'operatorIdentity', ''),
  },
};

export const unlockAssets: ExamplesOf<'unlockAssets'> = {
  bodies: lockBodies,
  answers: {
    200: { locks: { summary: 'One is enabled', value: lockResults } },
    299: refused('The token has expired', 'token_invalid'),
  },
};

export const listVirtualAssets: ExamplesOf<'listVirtualAssets'> = {
  answers: {
    200: {
      sync: {
        summary: 'The cloud licence of the batch sync of O5',
        value: success([
          {
            id: CLOUD_LICENCE_ID,
            licenseType: 'cloud_customer',
            assetNum: CLOUD_LICENCE,
            grantable: true,
            customerId: HEAD_OFFICE.customerId,
            keyShellNumber: CLOUD_LICENCE,
            keyChipType: 2,
            locked: false,
            freezing: false,
            createTime: TIME,
            updateTime: TIME,
            limitStartTime: YEAR_2026.limitStartDate,
            limitEndTime: YEAR_2026.limitEndDate,
            assignStatus: {
              id: CLOUD_LICENCE_ID,
              assignStatus: 'unassigned',
              assignMemberId: null,
              createTime: null,
              updateTime: null,
            },
            assetLimits: null,
            assetExtends: [REGION],
            borrowedUsbKey: false,
          },
        ]),
      },
    },
    299: refused('No such enterprise', 'enterprise_not_found', '404'),
  },
};

export const takeAssetNumbers: ExamplesOf<'takeAssetNumbers'> = {
  bodies: { three: { summary: 'Three numbers', value: { size: 3 } } },
  answers: {
    200: {
      three: { summary: 'Three numbers', value: success(['8000000001', '8000000002', '8000000003']) },
    },
    299: refused('A field is wrong', 'field_invalid', 'size', 'must be a whole number from 1 to 10000'),
  },
};
