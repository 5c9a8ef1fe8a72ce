import { z } from 'zod';
import { memberGlobalId } from './employees.ts';
import { licenseType } from './orders.ts';
import { boundedList, id, text, time } from './scalars.ts';

/** Numbers or ids of one list in M9 and M10. */
const MAX_ASSETS = 1_000;

/** The path of M7. What is not an id at all is no asset's. */
export const assetParams = z.object({ assetId: z.string().describe('Of an asset or a borrowed lock.') });

/** The path of M9 and M10. */
export const holderParams = z.object({ memberGlobalId: memberGlobalId() });

/** The body of M9 (interface.md M9; decisions 8). Both lists may be empty. */
export const configureAssetsBody = z.object({
  deleteAssets: boundedList(text(), MAX_ASSETS).describe('Asset numbers to withdraw, before any is assigned.'),
  addAssets: boundedList(text(), MAX_ASSETS).describe('Asset numbers to assign.'),
});
export type ConfigureAssets = z.infer<typeof configureAssetsBody>;

/** The body of M10 (interface.md M10; decisions 8). */
export const lendAssetsBody = z.object({
  borrowedUsbKey: text().describe('Number of the borrowed lock.'),
  assetIDs: boundedList(id(), MAX_ASSETS)
    .refine((list) => list.length > 0, 'must not be empty')
    .meta({ minItems: 1, description: 'Ids of the assets to lend, which the employee holds.' }),
});
export type LendAssets = z.infer<typeof lendAssetsBody>;

/** interface.md, Enterprise asset number entry (M6). */
export const enterpriseAsset = z
  .object({
    assetNum: z.string().describe('For M9.'),
    assetId: z.string().describe('For M7 and M10.'),
    cloudAccountGlobalId: z.string().nullable().describe('The employee who holds it.'),
    borrowedFlag: z.boolean().describe('Whether it is lent into a borrowed lock.'),
    onlineFlag: z.boolean().describe('False: use is not reported to this service.'),
  })
  .meta({ id: 'EnterpriseAsset' });
export type EnterpriseAsset = z.infer<typeof enterpriseAsset>;

/** interface.md, borrowed-lock list (M8). */
export const borrowedLock = z
  .object({
    assetId: z.string().describe('For M7.'),
    assetNum: z.string().describe('For M10.'),
    borrowedFlag: z.boolean().describe('Whether assets are lent into it.'),
    cloudAccountGlobalId: z.string().nullable().describe('The employee whose assets are lent into it.'),
  })
  .meta({ id: 'BorrowedLock' });
export type BorrowedLock = z.infer<typeof borrowedLock>;

const productFeature = z
  .object({
    featureCode: z.string(),
    featureName: z.string(),
    featureValue: z.string(),
    featureValueType: z.string(),
    trial: z.literal([0, 1]),
    trialEndDate: time(),
  })
  .meta({ id: 'ProductFeature' });

/** interface.md, Product instance. */
const productNode = z
  .object({
    id: z.string(),
    licenseType,
    customerId: z.string(),
    assetId: z.string().describe('The asset that it was bought on, also while that is lent.'),
    assetInsId: z.string().describe('The same as assetId.'),
    merchandiseInsId: z
      .string()
      .nullable()
      .describe('The merchandise that it is in; null where it is on the asset itself.'),
    assetNum: z.string(),
    productUri: z.string(),
    gmsPid: z.string(),
    appKey: z.string(),
    productName: z.string(),
    channelCode: z.string(),
    licenseOrderId: z.string(),
    channelOrderId: z.string(),
    limitStartTime: time().nullable(),
    limitEndTime: time().nullable(),
    limitAmount: z.literal(0).describe('Consumption is not counted here.'),
    limitConcurrent: z.number(),
    limitTimeDuration: z.number(),
    trial: z.literal([0, 1]),
    trialEndDate: time().nullable(),
    limitType: z.enum(['basic', 'feature']).describe('feature: it has product features.'),
    prodDefExtend: z.boolean().describe('Whether it has product features.'),
    timeDurationExpression: z.string().nullable(),
    srcLicenseOrderId: z.string().nullable(),
    createTime: time(),
    updateTime: time(),
    activateFlag: z.literal(true).describe('What is listed is active.'),
    crmProductId: z.string(),
    productExtendInstanceList: z.array(productFeature).describe('The product features as they were bought.'),
  })
  .meta({ id: 'ProductInstance' });
export type ProductNode = z.infer<typeof productNode>;

/** interface.md, Merchandise instance node. */
const merchandiseNode = z
  .object({
    id: z.string(),
    licenseType,
    merchandiseNum: z.string(),
    merchandiseName: z.string(),
    parentId: z.string().nullable().describe('null at the top.'),
    parentMerchandiseNum: z.string(),
    customerId: z.string(),
    licenseOrderId: z.string(),
    channelOrderId: z.string(),
    createTime: time(),
    updateTime: time(),
    channelCode: z.string(),
    timeDurationExpression: z.string(),
    srcLicenseOrderId: z.string().nullable(),
    get children(): z.ZodNullable<z.ZodArray<typeof merchandiseNode>> {
      return z.array(merchandiseNode).nullable().describe('null where there are none.');
    },
    productInstanceList: z.array(productNode).nullable().describe('null where there are none.'),
  })
  .meta({ id: 'MerchandiseInstance' });
export type MerchandiseNode = z.infer<typeof merchandiseNode>;

/** The data of M7. */
export const assetContents = z
  .object({
    productInstanceList: z.array(productNode).describe('Products on the asset itself, outside of merchandise.'),
    children: z.array(merchandiseNode).describe('Merchandise with its products, nested as it was bought.'),
  })
  .meta({ id: 'AssetContents' });
export type AssetContents = z.infer<typeof assetContents>;
