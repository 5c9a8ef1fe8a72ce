import { z } from 'zod';
import { AssetId, CustomerId } from '../ids.ts';
import { LicenseType } from '../orders/enums.ts';
import { boundedList, flag, id, integer, long, text, time } from '../scalars.ts';
import { memberGlobalId } from './employees.ts';

/** The most numbers or ids in one list of M9 or M10. */
const MAX_ASSETS = 1_000;

/** The path parameters of M7. Any text passes here; one that is not an id is simply no asset's. */
export const AssetParams = z.object({
  assetId: AssetId.describe('Id of an asset (M6) or of a borrowed lock (M8).'),
});

/** The path parameters of M9 and M10. */
export const HolderParams = z.object({ memberGlobalId: memberGlobalId() });

/** The body of M9 (interface M9; rules 8). Both lists may be empty. */
export const ConfigureAssets = z
  .object({
    deleteAssets: boundedList(text(), MAX_ASSETS).describe(
      `Asset numbers to withdraw, before any is assigned; at most ${MAX_ASSETS}, or none.`,
    ),
    addAssets: boundedList(text(), MAX_ASSETS).describe(`Asset numbers to assign; at most ${MAX_ASSETS}, or none.`),
  })
  .meta({ id: 'AssetsToConfigure', description: 'What an employee is to hold no longer, and what instead.' });
export type ConfigureAssets = z.infer<typeof ConfigureAssets>;

/** The body of M10 (interface M10; rules 8). */
export const LendAssets = z
  .object({
    borrowedUsbKey: text().describe('Number of the borrowed lock.'),
    assetIDs: boundedList(id<'AssetId'>(), MAX_ASSETS)
      .refine((list) => list.length > 0, 'must not be empty')
      .meta({
        minItems: 1,
        description: `Ids of the assets to lend, not their numbers: 1 to ${MAX_ASSETS} that the employee holds.`,
      }),
  })
  .meta({ id: 'AssetsToLend', description: 'What to lend into which lock.' });
export type LendAssets = z.infer<typeof LendAssets>;

/** An asset as M6 lists it (interface M6). */
export const EnterpriseAsset = z
  .object({
    assetNum: z.string().describe('Number of the asset, which M9 names.'),
    assetId: AssetId.describe('Id of the asset, which M7 and M10 name.'),
    cloudAccountGlobalId: z
      .string()
      .nullable()
      .describe('Global id of the employee who holds it; null where nobody does.'),
    borrowedFlag: z.boolean().describe('Whether it is lent into a borrowed lock.'),
    onlineFlag: z.boolean().describe('Whether it is in online use: always false, use is not reported to this service.'),
  })
  .meta({ id: 'EnterpriseAsset', description: 'An asset of an enterprise, and who holds it.' });
export type EnterpriseAsset = z.infer<typeof EnterpriseAsset>;

/** A borrowed lock as M8 lists it (interface M8). */
export const BorrowedLock = z
  .object({
    assetId: AssetId.describe('Id of the lock, which M7 names.'),
    assetNum: z.string().describe('Number of the lock, which M10 names.'),
    borrowedFlag: z.boolean().describe('Whether assets are lent into it.'),
    cloudAccountGlobalId: z
      .string()
      .nullable()
      .describe('Global id of the employee whose assets are lent into it; null where none are.'),
  })
  .meta({ id: 'BorrowedLock', description: 'A lock that assets can be lent into.' });
export type BorrowedLock = z.infer<typeof BorrowedLock>;

const ProductFeature = z
  .object({
    featureCode: z.string().describe('Code of the feature.'),
    featureName: z.string().describe('Name of the feature.'),
    featureValue: z.string().describe('Value of the feature.'),
    featureValueType: z.string().describe('Type of the value.'),
    trial: flag().describe('1 trial, 0 not.'),
    trialEndDate: time('When the trial ends'),
  })
  .meta({ id: 'ProductFeature', description: 'A feature of a product, as it was bought.' });

/** A product on an asset, as M7 shows it (interface M7). */
export const ProductNode = z
  .object({
    id: z.string().describe('Id of the product instance.'),
    licenseType: LicenseType.describe('License type of its asset.'),
    customerId: CustomerId.describe('Customer who owns it.'),
    assetId: AssetId.describe('Id of the asset that it was bought on, also while that is lent.'),
    assetInsId: AssetId.describe('The same as assetId.'),
    merchandiseInsId: z
      .string()
      .nullable()
      .describe('Id of the merchandise instance that it is in; null where it is on the asset itself.'),
    assetNum: z.string().describe('Number of that asset.'),
    productUri: z.string().describe('Product id, unique everywhere.'),
    gmsPid: z.string().describe('Product identifier of a tool; empty without one.'),
    appKey: z.string().describe('Product identifier of a web application; empty without one.'),
    productName: z.string().describe('Name of the product.'),
    channelCode: z.string().describe('Channel of that order.'),
    licenseOrderId: z
      .string()
      .describe(
        'The order by which it can be revoked: the one that bought it, or the one that transferred the asset to its customer.',
      ),
    channelOrderId: z.string().describe('Number under which the batch of that order was sent.'),
    limitStartTime: time('When it begins; null without a beginning').nullable(),
    limitEndTime: time('When it ends; null without an end').nullable(),
    limitAmount: integer().describe('Consumption: always 0, it is not counted here.'),
    limitConcurrent: integer().describe('Concurrent nodes.'),
    limitTimeDuration: long().describe('Accumulated usage, as it was bought.'),
    trial: flag().describe('1 trial, 0 not.'),
    trialEndDate: time('When the trial ends; null without an end').nullable(),
    limitType: z
      .enum(['basic', 'feature'])
      .meta({ id: 'LimitType', description: 'How a product is limited.' })
      .describe('feature where it has product features, otherwise basic.'),
    prodDefExtend: z.boolean().describe('Whether it has product features.'),
    timeDurationExpression: z.string().nullable().describe('How long it was bought for, in y-m-d form.'),
    srcLicenseOrderId: z
      .string()
      .nullable()
      .describe('What the order that bought it named as its source; null where it named none.'),
    createTime: time('When it was bought'),
    updateTime: time('When it was changed last'),
    activateFlag: z.boolean().describe('Whether it is active: always true, what is revoked is not listed.'),
    crmProductId: z.string().describe('CRM product instance id.'),
    productExtendInstanceList: z.array(ProductFeature).describe('The product features as they were bought.'),
  })
  .meta({ id: 'ProductInstance', description: 'A product on an asset.' });
export type ProductNode = z.infer<typeof ProductNode>;

/** A merchandise on an asset with what is in it, as M7 shows it (interface M7). */
export const MerchandiseNode = z
  .object({
    id: z.string().describe('Id of the merchandise instance.'),
    licenseType: LicenseType.describe('License type of its asset.'),
    merchandiseNum: z.string().describe('Number of the merchandise.'),
    merchandiseName: z.string().describe('Name of the merchandise.'),
    parentId: z.string().nullable().describe('Id of the merchandise instance that it is in; null at the top.'),
    parentMerchandiseNum: z.string().describe('Number of the parent, as it was sent; may be empty.'),
    customerId: CustomerId.describe('Customer who owns it.'),
    licenseOrderId: z
      .string()
      .describe(
        'The order by which it can be revoked: the one that bought it, or the one that transferred the asset to its customer.',
      ),
    channelOrderId: z.string().describe('Number under which the batch of that order was sent.'),
    createTime: time('When it was bought'),
    updateTime: time('When it was changed last'),
    channelCode: z.string().describe('Channel of that order.'),
    timeDurationExpression: z.string().describe('How long it was bought for, in y-m-d form.'),
    srcLicenseOrderId: z
      .string()
      .nullable()
      .describe('What the order that bought it named as its source; null where it named none.'),
    get children(): z.ZodNullable<z.ZodArray<typeof MerchandiseNode>> {
      return z.array(MerchandiseNode).nullable().describe('Merchandise inside; null where there is none.');
    },
    productInstanceList: z.array(ProductNode).nullable().describe('Products inside; null where there are none.'),
  })
  .meta({ id: 'MerchandiseInstance', description: 'A merchandise (package) on an asset, with what is in it.' });
export type MerchandiseNode = z.infer<typeof MerchandiseNode>;

/** The data of M7. */
export const AssetContents = z
  .object({
    productInstanceList: z.array(ProductNode).describe('Products on the asset itself, outside of merchandise.'),
    children: z.array(MerchandiseNode).describe('Merchandise with its products, nested as it was bought.'),
  })
  .meta({ id: 'AssetContents', description: 'What is active on an asset, as it was bought.' });
export type AssetContents = z.infer<typeof AssetContents>;
