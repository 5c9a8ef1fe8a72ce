import { z } from 'zod';
import { AssetId, CustomerId, EnterpriseId, LicenseOrderId } from '../ids.ts';
import { MerchandiseNode, ProductNode } from '../members/holdings.ts';
import { LicenseType } from '../orders/enums.ts';
import { text, time } from '../scalars.ts';
import { AssetExtend } from './assets.ts';

/** The path parameters of the operations that show one asset (rules 6.7). */
export const AssetNumParams = z.object({ assetNum: text().describe('Number of the asset.') });

/** An asset as it is now (rules 6.7). */
export const AssetDetail = z
  .object({
    assetId: AssetId.describe('Id of the asset.'),
    assetNum: z.string().describe('Number of the asset.'),
    licenseType: LicenseType.describe('License type of the asset.'),
    customerId: CustomerId.describe('Customer who owns it.'),
    enterpriseGlobalId: EnterpriseId.describe('Global id of the enterprise main account of this customer.'),
    limitStartDate: time('When it begins; null without a beginning').nullable(),
    limitEndDate: time('When it ends; null without an end').nullable(),
    locked: z.boolean().describe('Whether it is disabled (O6).'),
    borrowedUsbKey: z.boolean().describe('Whether it is a borrowed lock.'),
    assetExtendList: z.array(AssetExtend).describe('Its extended attributes.'),
    licenseOrderIds: z
      .array(LicenseOrderId)
      .describe('The orders whose grants keep it: delete_asset may name them as its source.'),
    products: z.array(ProductNode).describe('Products on the asset itself, outside of merchandise.'),
    merchandises: z.array(MerchandiseNode).describe('Merchandise with its products, nested as it was bought.'),
    assigned: z.boolean().describe('Whether an employee holds it.'),
    lentInto: z
      .string()
      .nullable()
      .describe(
        'Number of the borrowed lock that it is lent into; null where it is not, or where that lock is of a channel that the application is not bound to.',
      ),
  })
  .meta({ id: 'AssetDetail', description: 'An active asset, with what is on it.' });
export type AssetDetail = z.infer<typeof AssetDetail>;

const HISTORY_ACTIONS = [
  'created',
  'extended',
  'transferred',
  'revoked',
  'product_bought',
  'product_revoked',
  'merchandise_bought',
  'merchandise_revoked',
  'locked',
  'unlocked',
] as const;

/** What can happen to an asset (rules 6.7). */
export const HistoryAction = z
  .enum(HISTORY_ACTIONS)
  .meta({ id: 'HistoryAction', description: 'What happened to an asset.' });
export type HistoryAction = z.infer<typeof HistoryAction>;

/** One thing that happened to an asset (rules 6.7). */
export const HistoryEntry = z
  .object({
    time: time('When it happened; what an order did, at its finishedTime'),
    assetId: AssetId.describe('Id of the asset: a number that is bought again is another asset.'),
    action: HistoryAction.describe('What happened.'),
    licenseOrderId: LicenseOrderId.nullable().describe('The order that did it; null where no order did.'),
    channelCode: z
      .string()
      .nullable()
      .describe('Channel of that order; null without one, and where another application sent it.'),
    channelOrderId: z.string().nullable().describe('Number under which its batch was sent; null where channelCode is.'),
    customerId: CustomerId.nullable().describe('The customer who owned the asset from then on, or last.'),
    productUri: z.string().nullable().describe('The product; null where it is about none.'),
    instanceId: z
      .string()
      .nullable()
      .describe('Id of the product or merchandise instance; null where it is about none.'),
    operatorIdentity: z
      .string()
      .nullable()
      .describe('Who asked to disable or enable it; null otherwise, and where another application did.'),
  })
  .meta({ id: 'HistoryEntry', description: 'One thing that happened to an asset.' });
export type HistoryEntry = z.infer<typeof HistoryEntry>;

/** A page of the history of an asset number (rules 6.7). */
export const AssetHistory = z
  .object({
    entries: z
      .array(HistoryEntry)
      .describe('What happened to the assets of this number, newest first, revoked ones included.'),
    nextCursor: z.string().nullable().describe('The cursor of the next page; null on the last.'),
  })
  .meta({ id: 'AssetHistory', description: 'A page of the history of an asset number.' });
export type AssetHistory = z.infer<typeof AssetHistory>;
