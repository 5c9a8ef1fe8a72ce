import { z } from 'zod';
import { named, namedEnum } from '../containers.ts';
import { OPTIONAL_PAGE, wholeOrPage } from '../members/employees.ts';
import { LicenseType } from '../orders/enums.ts';
import {
  assetNumber,
  CustomerId,
  id,
  integer,
  MemberId,
  noText,
  nothing,
  optionalText,
  text,
  textOrNull,
  time,
} from '../scalars.ts';
import { fault } from '../templates.ts';

export const MAX_LOCKS = 1_000;
export const MAX_ASSET_NUMBERS = 10_000;

/** The body of O6 and O7, and of freezing and unfreezing (interface O6; rules 7). */
export const ChangeLocks = named(
  'LocksToChange',
  'Locks to disable or enable, or certificates to freeze or unfreeze.',
  {
    assetNums: z
      .array(assetNumber())
      .min(1, fault('empty'))
      .max(MAX_LOCKS, fault('too_many', MAX_LOCKS))
      .describe(`Asset numbers: 1 to ${MAX_LOCKS}.`),
    operatorIdentity: text().describe('Who requests the change: a name, mobile number or e-mail. Stored with it.'),
  },
);
export type ChangeLocks = z.infer<typeof ChangeLocks>;

/** What O6, O7, freezing and unfreezing do to an asset. */
export const LockAction = z.enum(['locked', 'unlocked', 'frozen', 'unfrozen']);
export type LockAction = z.infer<typeof LockAction>;

export const LockStatus = z.literal([1, 2, 3, 4]).meta({
  id: 'LockStatus',
  type: 'integer',
  description: 'Outcome for a lock or certificate: 1 success, 2 not found, 3 failed, 4 wrong license type.',
  // Names for code generators, which would call 1 NUMBER_1.
  'x-enum-varnames': ['SUCCESS', 'NOT_FOUND', 'FAILED', 'WRONG_TYPE'],
});
export type LockStatus = z.infer<typeof LockStatus>;

export const LockResult = named('LockResult', 'The outcome for one lock or certificate.', {
  assetNum: z.string().describe('Asset number.'),
  status: LockStatus.describe(
    '1: it is now in the state that you asked for. 2: your application has no active asset with this number. 3: a ' +
      'fault; retry this number. 4: its license type allows no such change.',
  ),
});
export type LockResult = z.infer<typeof LockResult>;

export const ListAssetsParams = z.object({
  enterpriseGlobalId: id<'EnterpriseId'>().describe('Global id of the enterprise.'),
});

/** The query of O8. An empty extendCode counts as absent. */
export const ListAssetsQuery = z.object({
  extendCode: optionalText().describe('Only assets with this extended attribute.'),
  ...OPTIONAL_PAGE,
});

const Assignment = named('Assignment', 'The employee to whom an asset is assigned.', {
  id: z.string().describe('Id of the asset.'),
  assignStatus: namedEnum('AssignStatus', 'Whether an asset is assigned to an employee.', [
    'assigned',
    'unassigned',
  ]).describe('assigned or unassigned.'),
  assignMemberId: MemberId.nullable().describe('Global id of the employee; null if unassigned.'),
  createTime: textOrNull('When it was assigned: milliseconds since 1970-01-01 UTC as a string; null if unassigned.'),
  updateTime: noText('Always null.'),
});

export const AssetExtend = named('AssetExtend', 'An extended attribute of an asset.', {
  extendCode: z.string().describe('Code of the attribute; gxxp marks a new product of the industry.'),
  extendValue: z.string().describe('Value of the attribute.'),
});

/** An asset as O8 lists it (interface O8; rules 7). */
export const VirtualAsset = named('VirtualAsset', 'A cloud license of an enterprise.', {
  id: z.string().describe('Id of the asset.'),
  licenseType: LicenseType.describe('Always cloud_customer.'),
  assetNum: z.string().describe('Asset number.'),
  grantable: z.boolean().describe('Whether it can grant licenses: it is neither disabled nor frozen.'),
  customerId: CustomerId.describe('Customer who owns it.'),
  keyShellNumber: z.string().describe('The digits of assetNum.'),
  keyChipType: integer().describe('Generation of the lock chip: always 2, which means the fifth.'),
  locked: z.boolean().describe('Whether it is disabled.'),
  freezing: z.boolean().describe('Whether it is frozen.'),
  createTime: time('When it was bought'),
  updateTime: time('When it was last changed'),
  limitStartTime: time('Start; null if it has none').nullable(),
  limitEndTime: time('End; null if it never ends').nullable(),
  assignStatus: Assignment.describe('Its assignment.'),
  assetLimits: nothing('Always null.'),
  assetExtends: z.array(AssetExtend).describe('Extended attributes.'),
  borrowedUsbKey: z.boolean().describe('Whether it is a borrowed lock.'),
});
export type VirtualAsset = z.infer<typeof VirtualAsset>;

/** The data of O8. */
export const VirtualAssets = wholeOrPage('VirtualAssetPage', VirtualAsset);

const SIZE_FAULT = fault('integer_between', 1, MAX_ASSET_NUMBERS);

/** The body of O9 (interface O9; rules 7). */
export const TakeAssetNumbers = named('NumbersToTake', 'How many asset numbers to take.', {
  size: z
    .number(SIZE_FAULT)
    .int(SIZE_FAULT)
    .min(1, SIZE_FAULT)
    .max(MAX_ASSET_NUMBERS, SIZE_FAULT)
    .describe(`Number of asset numbers: 1 to ${MAX_ASSET_NUMBERS}.`),
});

/** An asset number of O9: the region digit, then nine digits that increment. */
export const AssetNumber = z.string().regex(/^[68]\d{9}$/);
