import { z } from 'zod';
import { licenseType } from './orders.ts';
import { id, optionalText, text } from './scalars.ts';

const MAX_LOCKS = 1_000;
const MAX_ASSET_NUMBERS = 10_000;

/** The body of O6 and O7 (interface.md O6; decisions 7). */
export const lockAssetsBody = z.object({
  assetNums: z
    .array(text())
    .min(1, 'must not be empty')
    .max(MAX_LOCKS, `must hold at most ${MAX_LOCKS} numbers`)
    .describe('Lock numbers'),
  operatorIdentity: text().describe('Who asks for it: name, mobile number or e-mail'),
});
export type LockAssets = z.infer<typeof lockAssetsBody>;

/** interface.md, Lock operation result entry: 1 success, 2 no such lock, 3 failed, 4 not a lock of this kind. */
export const lockStatus = z.literal([1, 2, 3, 4]);
export type LockStatus = z.infer<typeof lockStatus>;

export const lockResult = z
  .object({
    assetNum: z.string(),
    status: lockStatus.describe('1 success, 2 lock does not exist, 3 operation failed, 4 lock type incorrect'),
  })
  .meta({ id: 'LockResult' });
export type LockResult = z.infer<typeof lockResult>;

/** The path of O8. */
export const listAssetsParams = z.object({ enterpriseGlobalId: id() });

/** The query of O8: an empty extendCode counts as absent. */
export const listAssetsQuery = z.object({ extendCode: optionalText() });

/** interface.md, Asset; decisions 7 for what it leaves open. */
export const virtualAsset = z
  .object({
    id: z.string(),
    licenseType,
    assetNum: z.string(),
    grantable: z.boolean().describe('Whether licences can be handed out from it: it is neither locked nor frozen.'),
    customerId: z.string(),
    keyShellNumber: z.string().describe('The digits of assetNum.'),
    keyChipType: z.literal(2),
    locked: z.boolean(),
    freezing: z.boolean(),
    createTime: z.number(),
    updateTime: z.number(),
    limitStartTime: z.number().nullable(),
    limitEndTime: z.number().nullable(),
    assignStatus: z.object({
      id: z.string().describe('The asset id.'),
      assignStatus: z.enum(['assigned', 'unassigned']),
      assignMemberId: z.string().nullable().describe('The employee; null while it is unassigned.'),
      createTime: z.string().nullable().describe('When it was assigned: milliseconds since 1970-01-01 UTC, as text.'),
      updateTime: z.null(),
    }),
    assetLimits: z.null(),
    assetExtends: z.array(z.object({ extendCode: z.string(), extendValue: z.string() })),
    borrowedUsbKey: z.boolean(),
  })
  .meta({ id: 'VirtualAsset' });
export type VirtualAsset = z.infer<typeof virtualAsset>;

const SIZE_FAULT = `must be a whole number from 1 to ${MAX_ASSET_NUMBERS}`;

/** The body of O9 (interface.md O9; decisions 7). */
export const takeAssetNumbersBody = z.object({
  size: z.number(SIZE_FAULT).int(SIZE_FAULT).min(1, SIZE_FAULT).max(MAX_ASSET_NUMBERS, SIZE_FAULT),
});

/** An asset number's digits: the region mark, and nine digits that increment. */
export const assetNumber = z.string().regex(/^[68]\d{9}$/);
