import { z } from 'zod';
import { named, namedEnum } from '../containers.ts';
import { Cause, FailureBody, MessageArgs, successBody } from '../envelope.ts';
import { LicenseType } from '../orders/enums.ts';
import {
  AssetId,
  assetNumber,
  boundedList,
  CustomerId,
  emptyAsAbsent,
  flag,
  id,
  integer,
  long,
  MemberId,
  textOrNull,
  time,
} from '../scalars.ts';
import { fault } from '../templates.ts';
import { Validity, Verdict } from '../verdict.ts';
import { memberGlobalId, wholeOrPage } from './employees.ts';

/** Maximum numbers or ids in one list of M9 or M10. */
const MAX_ASSETS = 1_000;

/** The path parameters of M7. Any string is valid; one that is not an id matches no asset. */
export const AssetParams = z.object({
  assetId: AssetId.describe('Id of an asset (M6) or of a borrowed lock (M8).'),
});

export const HolderParams = z.object({ memberGlobalId: memberGlobalId() });

/** The body of M9 (interface M9; rules 8). Both lists may be empty. */
export const ConfigureAssets = named('AssetsToConfigure', 'Assets to unassign from an employee, and to assign.', {
  deleteAssets: boundedList(assetNumber(), MAX_ASSETS).describe(
    `Asset numbers to unassign first: up to ${MAX_ASSETS}.`,
  ),
  addAssets: boundedList(assetNumber(), MAX_ASSETS).describe(`Asset numbers to assign: up to ${MAX_ASSETS}.`),
});
export type ConfigureAssets = z.infer<typeof ConfigureAssets>;

/** Maximum entries of a call of configureEmployees, and maximum asset numbers in all of them. */
const MAX_ENTRIES = 1_000;
const MAX_ENTRY_ASSETS = 10_000;

const EmployeePrivileges = named('EmployeePrivileges', 'Assets to unassign from one employee, and to assign.', {
  memberGlobalId: id<'MemberId'>().describe('Global id of the employee.'),
  ...ConfigureAssets.shape,
});
export type EmployeePrivileges = z.infer<typeof EmployeePrivileges>;

/** The body of configureEmployees (rules 8). */
export const ConfigureEmployees = named('PrivilegesToConfigure', 'Assets to unassign from employees, and to assign.', {
  privileges: boundedList(EmployeePrivileges, MAX_ENTRIES)
    .refine((list) => list.length > 0, fault('empty'))
    .refine((list) => countNumbers(list) <= MAX_ENTRY_ASSETS, fault('too_many_numbers', MAX_ENTRY_ASSETS))
    .meta({
      minItems: 1,
      description: `1 to ${MAX_ENTRIES} entries with at most ${MAX_ENTRY_ASSETS} asset numbers in all.`,
    }),
});

const countNumbers = (list: readonly EmployeePrivileges[]) =>
  list.reduce((count, { deleteAssets, addAssets }) => count + deleteAssets.length + addAssets.length, 0);

/** The query of configureEmployees. */
export const ConfigureEmployeesQuery = z.object({
  preview: emptyAsAbsent(z.literal('true', fault('true_or_absent')).optional()).describe(
    'true: answer as if the entries were applied, and change nothing.',
  ),
});

const AppliedEntry = named('AppliedPrivileges', 'An entry that was applied.', {
  index: integer().describe('Index in privileges, from 0.'),
  memberGlobalId: MemberId.describe('Global id of the employee.'),
});
const FailedEntry = named('FailedPrivileges', 'An entry that was refused and changed nothing.', {
  ...AppliedEntry.shape,
  code: z.string().describe('Code of the cause.'),
  cause: Cause.describe('For programs: why the entry was refused.'),
  message: z.string().describe('For people: the path of the asset, if one is at fault, and what is wrong.'),
  args: MessageArgs,
});

/** The data of configureEmployees. */
export const ConfiguredEmployees = named('ConfiguredEmployees', 'The outcome of each entry.', {
  succeeded: z.array(AppliedEntry).describe('Applied entries, in the order of privileges.'),
  failed: z.array(FailedEntry).describe('Refused entries, in the order of privileges.'),
});

/** The answers of configureEmployees: none, some, or all entries are applied. */
export const NotConfiguredEmployees = named('PrivilegesFailure', 'A Failure that may list why each entry failed.', {
  ...FailureBody.shape,
  data: ConfiguredEmployees.optional().describe('Why each entry failed. Absent if the whole call was refused.'),
});
export const PartlyConfiguredEmployees = named(
  'PrivilegesPartlyConfigured',
  'Some entries were applied, some were not.',
  {
    ...FailureBody.shape,
    code: z.literal('60027').describe('The string 60027: some entries were applied, some were not.'),
    data: ConfiguredEmployees.describe('The outcome of each entry.'),
  },
);
export const AllConfiguredEmployees = successBody(ConfiguredEmployees).meta({
  id: 'PrivilegesConfigured',
  description: 'All entries were applied.',
});

/** The body of M10 (interface M10; rules 8). */
export const LendAssets = named('AssetsToLend', 'Assets to lend into a borrowed lock.', {
  borrowedUsbKey: assetNumber().describe('Number of the borrowed lock.'),
  assetIDs: boundedList(id<'AssetId'>(), MAX_ASSETS)
    .refine((list) => list.length > 0, fault('empty'))
    .meta({
      minItems: 1,
      description: `Ids, not numbers, of assets that are assigned to the employee: 1 to ${MAX_ASSETS}.`,
    }),
});
export type LendAssets = z.infer<typeof LendAssets>;

/** An asset as M6 lists it (interface M6). */
export const EnterpriseAsset = named('EnterpriseAsset', 'An asset of an enterprise, with its assignment.', {
  assetNum: z.string().describe('Asset number, for M9.'),
  assetId: AssetId.describe('Id of the asset, for M7 and M10.'),
  cloudAccountGlobalId: textOrNull('Global id of the employee to whom it is assigned; null if unassigned.'),
  borrowedFlag: z.boolean().describe('Whether it is lent.'),
  onlineFlag: z.boolean().describe('Always false: online use is not reported to this service.'),
  validity: Validity.describe('Whether its own dates are in force.'),
  verdict: Verdict.describe('Whether it can be used now, and if not, why.'),
});
export type EnterpriseAsset = z.infer<typeof EnterpriseAsset>;

/** The data of M6. */
export const EnterpriseAssets = wholeOrPage('EnterpriseAssetPage', EnterpriseAsset);

/** A borrowed lock as M8 lists it (interface M8). */
export const BorrowedLock = named('BorrowedLock', 'A lock into which assets can be lent.', {
  assetId: AssetId.describe('Id of the lock, for M7.'),
  assetNum: z.string().describe('Lock number, for M10.'),
  borrowedFlag: z.boolean().describe('Whether assets are lent into it.'),
  cloudAccountGlobalId: textOrNull('Global id of the employee whose assets are lent into it; null if none are.'),
});
export type BorrowedLock = z.infer<typeof BorrowedLock>;

/** The data of M8. */
export const BorrowedLocks = wholeOrPage('BorrowedLockPage', BorrowedLock);

const ProductFeature = named('ProductFeature', 'A feature of a product.', {
  featureCode: z.string().describe('Code of the feature.'),
  featureName: z.string().describe('Name of the feature.'),
  featureValue: z.string().describe('Value of the feature.'),
  featureValueType: z.string().describe('Type of the value.'),
  trial: flag().describe('1: trial, 0: not.'),
  trialEndDate: time('When the trial ends'),
});

const HOLDING_ORDER = z
  .string()
  .describe(
    'The order that bought it, or that transferred its asset to the customer. A revocation can name it as its source.',
  );

/** A product on an asset, as M7 returns it (interface M7). */
export const ProductNode = named('ProductInstance', 'A product on an asset.', {
  id: z.string().describe('Id of the product.'),
  licenseType: LicenseType.describe('License type of its asset.'),
  customerId: CustomerId.describe('Customer who owns the asset.'),
  assetId: AssetId.describe('Id of the asset for which it was bought, even while that is lent.'),
  assetInsId: AssetId.describe('Same as assetId.'),
  merchandiseInsId: textOrNull('Id of the merchandise that contains it; null if none does.'),
  assetNum: z.string().describe('Number of this asset.'),
  productUri: z.string().describe('Globally unique product id.'),
  gmsPid: z.string().describe('Product identifier of a tool; empty if none.'),
  appKey: z.string().describe('Product identifier of a web application; empty if none.'),
  productName: z.string().describe('Name of the product.'),
  channelCode: z.string().describe("The order's channel."),
  licenseOrderId: HOLDING_ORDER,
  channelOrderId: z.string().describe("The batch's channelOrderId."),
  limitStartTime: time('Start; null if it has none').nullable(),
  limitEndTime: time('End; null if it never ends').nullable(),
  validity: Validity.describe('Whether it is in force, within the dates of its asset.'),
  limitAmount: integer().describe('Always 0: consumption is not counted.'),
  limitConcurrent: integer().describe('Concurrent nodes.'),
  limitTimeDuration: long().describe('Accumulated usage duration.'),
  trial: flag().describe('1: trial, 0: not.'),
  trialEndDate: time('When the trial ends; null if it never does').nullable(),
  limitType: namedEnum('LimitType', 'Limit of a product.', ['basic', 'feature']).describe(
    'feature if it has product features, otherwise basic.',
  ),
  prodDefExtend: z.boolean().describe('Whether it has product features.'),
  timeDurationExpression: textOrNull('Time expression in y-m-d form.'),
  srcLicenseOrderId: textOrNull('The source that its order named; null if none.'),
  createTime: time('When it was bought'),
  updateTime: time('When it was last changed'),
  activateFlag: z.boolean().describe('Always true: revoked products are not listed.'),
  crmProductId: z.string().describe('CRM product instance id.'),
  productExtendInstanceList: z.array(ProductFeature).describe('Product features.'),
});
export type ProductNode = z.infer<typeof ProductNode>;

/** Merchandise on an asset with its contents, as M7 returns it (interface M7). */
export const MerchandiseNode = z
  .object({
    id: z.string().describe('Id of the merchandise.'),
    licenseType: LicenseType.describe('License type of its asset.'),
    merchandiseNum: z.string().describe('Number of the merchandise.'),
    merchandiseName: z.string().describe('Name of the merchandise.'),
    parentId: textOrNull('Id of the merchandise that contains it; null at the top.'),
    parentMerchandiseNum: z.string().describe('Number of the parent merchandise as it was sent; may be empty.'),
    customerId: CustomerId.describe('Customer who owns the asset.'),
    licenseOrderId: HOLDING_ORDER,
    channelOrderId: z.string().describe("The batch's channelOrderId."),
    createTime: time('When it was bought'),
    updateTime: time('When it was last changed'),
    channelCode: z.string().describe("The order's channel."),
    timeDurationExpression: z.string().describe('Time expression in y-m-d form.'),
    srcLicenseOrderId: textOrNull('The source that its order named; null if none.'),
    get children(): z.ZodNullable<z.ZodArray<typeof MerchandiseNode>> {
      return z.array(MerchandiseNode).nullable().describe('Merchandise inside; null if none.');
    },
    productInstanceList: z.array(ProductNode).nullable().describe('Products inside; null if none.'),
  })
  .meta({ id: 'MerchandiseInstance', description: 'Merchandise (a package) on an asset, with its contents.' });
export type MerchandiseNode = z.infer<typeof MerchandiseNode>;

/** The data of M7. */
export const AssetContents = named('AssetContents', 'The active contents of an asset.', {
  productInstanceList: z.array(ProductNode).describe('Products outside of merchandise.'),
  children: z.array(MerchandiseNode).describe('Merchandise with its contents.'),
  validity: Validity.describe('Whether the own dates of the asset are in force.'),
  verdict: Verdict.describe('Whether the asset can be used now, and if not, why.'),
});
export type AssetContents = z.infer<typeof AssetContents>;
