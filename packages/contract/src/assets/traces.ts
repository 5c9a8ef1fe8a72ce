import { z } from 'zod';
import { named, namedEnum } from '../containers.ts';
import { HoldingEnd } from '../members/holding-history.ts';
import { MerchandiseNode, ProductNode } from '../members/holdings.ts';
import {
  AssetId,
  assetNumber,
  CustomerId,
  EnterpriseId,
  LicenseOrderId,
  MemberId,
  textOrNull,
  time,
} from '../scalars.ts';
import { AssetExtend } from './assets.ts';
import { ListedAsset } from './lists.ts';

/** The path parameters of the operations that show one asset (rules 6.7). */
export const AssetNumParams = z.object({ assetNum: assetNumber().describe('Asset number.') });

export const AssetDetail = named('AssetDetail', 'An active asset with its contents.', {
  ...ListedAsset.pick({ assetId: true, assetNum: true, licenseType: true }).shape,
  customerId: CustomerId.describe('Customer who owns it.'),
  enterpriseGlobalId: EnterpriseId.describe('Global id of the enterprise of the customer.'),
  ...ListedAsset.pick({ limitStartDate: true, limitEndDate: true, validity: true, verdict: true }).shape,
  ...ListedAsset.pick({ locked: true, freezing: true, borrowedUsbKey: true }).shape,
  assetExtendList: z.array(AssetExtend).describe('Extended attributes.'),
  licenseOrderIds: z
    .array(LicenseOrderId)
    .describe('Orders with a grant on it: possible srcLicenseOrderId of delete_asset.'),
  products: z.array(ProductNode).describe('Products outside of merchandise.'),
  merchandises: z.array(MerchandiseNode).describe('Merchandise with its contents.'),
  assigned: z.boolean().describe('Whether it is assigned to an employee.'),
  memberGlobalId: MemberId.nullable().describe('Global id of the employee; null if unassigned.'),
  lentInto: textOrNull(
    'Number of the borrowed lock that it is lent into; null if none, or if the lock is in a channel that your application is not bound to.',
  ),
});
export type AssetDetail = z.infer<typeof AssetDetail>;

/**
 * In the order in which one step has these effects: an asset is created before anything is bought for it, and revoked
 * after its contents.
 */
export const HistoryAction = namedEnum(
  'HistoryAction',
  'A change to an asset. created: by the first purchase of the number. extended: by another order of its customer. ' +
    "transferred: by another customer's order. locked, unlocked: disabled or enabled (O6, O7). frozen, unfrozen: a " +
    'certificate was frozen or unfrozen. assigned, unassigned: to and from an employee. lent, returned: into a borrowed ' +
    'lock and back.',
  [
    'created',
    'extended',
    'transferred',
    'merchandise_bought',
    'product_bought',
    'product_revoked',
    'merchandise_revoked',
    'revoked',
    'locked',
    'unlocked',
    'frozen',
    'unfrozen',
    'assigned',
    'unassigned',
    'lent',
    'returned',
  ],
);
export type HistoryAction = z.infer<typeof HistoryAction>;

export const HistoryEntry = named('HistoryEntry', 'A change to an asset.', {
  time: time('When it happened; for an order, its finishedTime'),
  assetId: AssetId.describe('Id of the asset. A number that is bought again gets a new id.'),
  action: HistoryAction.describe('The change.'),
  licenseOrderId: LicenseOrderId.nullable().describe(
    'The order that made it, or that ended a holding; null if none did.',
  ),
  channelCode: textOrNull("The order's channel; null without an order, or if another application sent it."),
  channelOrderId: textOrNull("The batch's channelOrderId; null if channelCode is."),
  customerId: CustomerId.nullable().describe('The owner of the asset after the change, or its last owner.'),
  productUri: textOrNull('The product; null if it concerns none.'),
  instanceId: textOrNull('Id of the product or merchandise; null if it concerns neither.'),
  operatorIdentity: textOrNull(
    'Who requested to disable, enable, freeze or unfreeze it; null otherwise, or if another application did.',
  ),
  memberGlobalId: MemberId.nullable().describe('The employee who has or had the asset; null if it concerns none.'),
  lockAssetNum: textOrNull(
    'The borrowed lock of a loan; null otherwise, or if it is in a channel that your application is not bound to.',
  ),
  administratorGlobalId: MemberId.nullable().describe(
    'The administrator who began or ended the holding, 0 for an operator; null if none did.',
  ),
  endCause: HoldingEnd.nullable().describe('What ended the holding; null if it ended none.'),
});
export type HistoryEntry = z.infer<typeof HistoryEntry>;

export const AssetHistory = named('AssetHistory', 'A page of the history of an asset number.', {
  entries: z.array(HistoryEntry).describe('Changes to all assets of this number, newest first.'),
  nextCursor: textOrNull('The cursor of the next page; null on the last page.'),
});
export type AssetHistory = z.infer<typeof AssetHistory>;
