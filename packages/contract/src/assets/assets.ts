import { z } from 'zod';
import { CustomerId, MemberId } from '../ids.ts';
import { LicenseType } from '../orders/enums.ts';
import { id, integer, noText, nothing, optionalText, text, time } from '../scalars.ts';

export const MAX_LOCKS = 1_000;
export const MAX_ASSET_NUMBERS = 10_000;

/** The body of O6 and of O7 (interface O6; rules 7). */
export const ChangeLocks = z
  .object({
    assetNums: z
      .array(text())
      .min(1, 'must not be empty')
      .max(MAX_LOCKS, `must contain at most ${MAX_LOCKS} numbers`)
      .describe(`Numbers of the locks: 1 to ${MAX_LOCKS}.`),
    operatorIdentity: text().describe(
      'Who asks for it: name, mobile number or e-mail. It is kept on record with each change.',
    ),
  })
  .meta({ id: 'LocksToChange', description: 'Which locks, and who asks for it.' });
export type ChangeLocks = z.infer<typeof ChangeLocks>;

/** The result of changing one lock (interface O6): 1 success, 2 no such lock, 3 failed, 4 not a lock of this kind. */
export const LockStatus = z.literal([1, 2, 3, 4]).meta({
  id: 'LockStatus',
  type: 'integer',
  description: 'What became of a lock: 1 success, 2 no such lock, 3 failed, 4 not a lock of this kind.',
  // Names for code generators, which would call 1 NUMBER_1.
  'x-enum-varnames': ['SUCCESS', 'NOT_FOUND', 'FAILED', 'WRONG_TYPE'],
});
export type LockStatus = z.infer<typeof LockStatus>;

export const LockResult = z
  .object({
    assetNum: z.string().describe('Number of the lock, as it was sent.'),
    status: LockStatus.describe(
      '1: it is disabled (O6) or enabled (O7) now, or was already. 2: no active asset has this number, or none of the channels that the application is bound to. 3: a fault at this ' +
        'one; send it again. 4: not a lock that can be disabled.',
    ),
  })
  .meta({ id: 'LockResult', description: 'What became of one lock.' });
export type LockResult = z.infer<typeof LockResult>;

/** The path parameters of O8. */
export const ListAssetsParams = z.object({
  enterpriseGlobalId: id<'EnterpriseId'>().describe('Global id of the enterprise main account.'),
});

/** The query of O8. An empty extendCode counts as absent. */
export const ListAssetsQuery = z.object({
  extendCode: optionalText().describe('Only assets that carry this extended attribute.'),
});

const Assignment = z
  .object({
    id: z.string().describe('Id of the asset.'),
    assignStatus: z
      .enum(['assigned', 'unassigned'])
      .meta({ id: 'AssignStatus', description: 'Whether an employee holds an asset.' })
      .describe('assigned while an employee holds the asset.'),
    assignMemberId: MemberId.nullable().describe('Global id of the employee; null while it is unassigned.'),
    createTime: z
      .string()
      .nullable()
      .describe('When it was assigned: milliseconds since 1970-01-01 UTC, as text; null while it is unassigned.'),
    updateTime: noText('Always null.'),
  })
  .meta({ id: 'Assignment', description: 'Who holds an asset.' });

export const AssetExtend = z
  .object({
    extendCode: z.string().describe('Code of the attribute; gxxp marks a new product of the industry.'),
    extendValue: z.string().describe('Value of the attribute.'),
  })
  .meta({ id: 'AssetExtend', description: 'An extended attribute of an asset.' });

/** An asset as O8 lists it (interface O8; rules 7). */
export const VirtualAsset = z
  .object({
    id: z.string().describe('Id of the asset.'),
    licenseType: LicenseType.describe('License type: always cloud_customer.'),
    assetNum: z.string().describe('Number of the asset.'),
    grantable: z.boolean().describe('Whether licenses can be handed out from it: it is neither locked nor frozen.'),
    customerId: CustomerId.describe('Customer who owns it.'),
    keyShellNumber: z.string().describe('The digits of assetNum.'),
    keyChipType: integer().describe('Generation of the lock chip, 1 the fourth and 2 the fifth: always 2.'),
    locked: z.boolean().describe('Whether it is disabled.'),
    freezing: z.boolean().describe('Whether it is frozen.'),
    createTime: time('When it was bought'),
    updateTime: time('When it was changed last'),
    limitStartTime: time('When it begins; null without a beginning').nullable(),
    limitEndTime: time('When it ends; null without an end').nullable(),
    assignStatus: Assignment.describe('Who holds it.'),
    assetLimits: nothing('Always null.'),
    assetExtends: z.array(AssetExtend).describe('Its extended attributes.'),
    borrowedUsbKey: z.boolean().describe('Whether it is a borrowed lock.'),
  })
  .meta({ id: 'VirtualAsset', description: 'A cloud account license of an enterprise.' });
export type VirtualAsset = z.infer<typeof VirtualAsset>;

const SIZE_FAULT = `must be an integer from 1 to ${MAX_ASSET_NUMBERS}`;

/** The body of O9 (interface O9; rules 7). */
export const TakeAssetNumbers = z
  .object({
    size: z
      .number(SIZE_FAULT)
      .int(SIZE_FAULT)
      .min(1, SIZE_FAULT)
      .max(MAX_ASSET_NUMBERS, SIZE_FAULT)
      .describe(`How many numbers: 1 to ${MAX_ASSET_NUMBERS}.`),
  })
  .meta({ id: 'NumbersToTake', description: 'How many asset numbers are wanted.' });

/** An asset number that O9 hands out: the digit of the region, then nine digits that count up. */
export const AssetNumber = z.string().regex(/^[68]\d{9}$/);
