import { z } from 'zod';
import { AssetExtend } from '../assets/assets.ts';
import { AssetNumParams, HistoryEntry } from '../assets/traces.ts';
import { AssetId, LicenseOrderId, MemberId } from '../ids.ts';
import { LicenseType } from '../orders/enums.ts';
import { ListPageQuery } from '../orders/lists.ts';
import { emptyAsAbsent, optionalId, optionalText, queryInteger, time } from '../scalars.ts';
import { Owner } from './enterprises.ts';
import { consoleTable } from './operation.ts';

/** Which assets a list shows. What is revoked is found by its number only. */
export const ListAssetsOfAllQuery = z
  .object({
    assetNum: optionalText().describe('Only assets whose number begins with this.'),
    customerId: optionalId<'CustomerId'>().describe('Only assets of this customer.'),
    enterpriseGlobalId: optionalId<'EnterpriseId'>().describe('Only assets of customers of this enterprise.'),
    state: emptyAsAbsent(z.enum(['active', 'revoked']).default('active')),
    ...ListPageQuery.shape,
  })
  .superRefine(({ state, assetNum }, context) => {
    if (state === 'active' || assetNum !== undefined) return;
    const message = 'is needed to find what is revoked';
    context.issues.push({ code: 'custom', path: ['assetNum'], message, input: assetNum });
  });
export type ListAssetsOfAllQuery = z.infer<typeof ListAssetsOfAllQuery>;

/** An asset in a list. */
const AssetRow = z.object({
  assetId: AssetId,
  assetNum: z.string(),
  licenseType: LicenseType,
  owner: Owner,
  limitStartDate: time('When it begins').nullable(),
  limitEndDate: time('When it ends').nullable(),
  locked: z.boolean(),
  borrowedUsbKey: z.boolean(),
  /** Whether an employee holds it. */
  assigned: z.boolean(),
  /** Whether it is lent into a borrowed lock. */
  lent: z.boolean(),
  createdTime: time('When it was bought'),
  revokedTime: time('When it was revoked; null while it is active').nullable(),
});

/** An employee who holds something. */
export const Holder = z.object({ memberGlobalId: MemberId, account: z.string(), name: z.string() });
export type Holder = z.infer<typeof Holder>;

/** The asset that has a number now. */
const ActiveAsset = AssetRow.extend({
  freezing: z.boolean(),
  updatedTime: time('When it was changed last'),
  assetExtendList: z.array(AssetExtend),
  createdByOrderId: LicenseOrderId,
  licenseOrderIds: z
    .array(LicenseOrderId)
    .describe('The orders whose grants keep it, the newest: delete_asset may name them as its source.'),
  hasMoreOrders: z.boolean().describe('Whether there are older grants than those.'),
  holder: Holder.extend({ since: time('When it was assigned') }).nullable(),
  lentInto: z
    .object({ assetNum: z.string(), since: time('When it was lent') })
    .nullable()
    .describe('The borrowed lock that it is lent into.'),
  lentHere: z
    .array(z.object({ assetNum: z.string(), holder: Holder.nullable(), since: time('When it was lent') }))
    .describe('What is lent into it, if it is a borrowed lock.'),
  hasMoreLentHere: z.boolean(),
});

/** An asset that had a number, until it was revoked. */
const EarlierAsset = AssetRow.pick({
  assetId: true,
  licenseType: true,
  owner: true,
  createdTime: true,
}).extend({
  createdByOrderId: LicenseOrderId,
  revokedTime: time('When it was revoked'),
  revokedByOrderId: LicenseOrderId,
});

/** All that is known of an asset number. */
const AssetOfNumber = z.object({
  assetNum: z.string(),
  active: ActiveAsset.nullable().describe('Null where no active asset has the number now.'),
  earlier: z.array(EarlierAsset).describe('The assets that had the number before, newest first.'),
  hasMoreEarlier: z.boolean(),
});

/** What products and merchandises have in common. */
const Instance = z.object({
  id: z.string(),
  parentId: z.string().nullable().describe('The merchandise that it is in; null on the asset itself.'),
  crmProductId: z.string(),
  timeDurationExpression: z.string().nullable().describe('How long it was bought for, in y-m-d form.'),
  boughtByOrderId: LicenseOrderId,
  heldByOrderId: LicenseOrderId.describe('The order by which it can be revoked.'),
  srcLicenseOrderId: LicenseOrderId.nullable().describe('What the order that bought it named as its source.'),
  createdTime: time('When it was bought'),
});

const MerchandiseInstance = Instance.extend({
  kind: z.literal('merchandise'),
  merchandiseNum: z.string(),
  merchandiseName: z.string(),
});

const Feature = z.object({ featureCode: z.string(), featureName: z.string(), featureValue: z.string() });

const ProductInstance = Instance.extend({
  kind: z.literal('product'),
  productUri: z.string(),
  productName: z.string(),
  gmsPid: z.string(),
  appKey: z.string(),
  limitStartDate: time('When it begins').nullable(),
  limitEndDate: time('When it ends').nullable(),
  limitConcurrent: z.number(),
  limitTimeDuration: z.number(),
  trial: z.boolean(),
  trialEndDate: time('When the trial ends').nullable(),
  features: z.array(Feature).describe('The first of its features.'),
  featureCount: z.number(),
});

/** A product or a merchandise on an asset. */
export const AssetInstance = z.discriminatedUnion('kind', [MerchandiseInstance, ProductInstance]);
export type AssetInstance = z.infer<typeof AssetInstance>;

const MAX_CONTENTS_PAGE = 1_000;
const DEFAULT_CONTENTS_PAGE = 500;

/** One thing that happened to an asset, with what a reader wants to know beside the ids. */
const ToldEntry = HistoryEntry.extend({
  batchId: z.string().nullable().describe('The batch of that order; null without one.'),
  applicationName: z.string().nullable().describe('The application that sent the order or changed the lock.'),
  appKey: z.string().nullable(),
  customer: Owner.nullable().describe('Who owned the asset from then on, or last.'),
  fromCustomer: Owner.nullable().describe('Who owned it before a transfer; null otherwise.'),
  instanceName: z.string().nullable().describe('Name of the product or merchandise.'),
  limitConcurrent: z.number().nullable().describe('Nodes of the product; null where it is about none.'),
  limitEndDate: time('When the product ends; null without an end, and where it is about none').nullable(),
});
export type ToldEntry = z.infer<typeof ToldEntry>;

export type AssetRow = z.infer<typeof AssetRow>;
export type ActiveAsset = z.infer<typeof ActiveAsset>;
export type EarlierAsset = z.infer<typeof EarlierAsset>;
export type AssetOfNumber = z.infer<typeof AssetOfNumber>;

const nextCursor = z.string().nullable();

/** Assets of any channel: what there is, what is on it, and what happened to it. */
export const assetsOperations = consoleTable({
  listAssets: {
    method: 'GET',
    path: '/assets',
    role: 'viewer',
    query: ListAssetsOfAllQuery,
    data: z.object({ assets: z.array(AssetRow), nextCursor }),
    summary: 'Lists assets: of a number or what it begins with, of a customer, of an enterprise, or the newest.',
  },
  getAsset: {
    method: 'GET',
    path: '/assets/{assetNum}',
    role: 'viewer',
    params: AssetNumParams,
    data: AssetOfNumber,
    summary: 'Shows the asset of a number, who owns and who holds it, and the assets that had the number before.',
  },
  getAssetContents: {
    method: 'GET',
    path: '/assets/{assetNum}/contents',
    role: 'viewer',
    params: AssetNumParams,
    query: ListPageQuery.extend({
      limit: emptyAsAbsent(queryInteger(1, MAX_CONTENTS_PAGE).default(DEFAULT_CONTENTS_PAGE)),
    }),
    data: z.object({
      instances: z.array(AssetInstance).describe('Each after the merchandise that it is in.'),
      nextCursor,
    }),
    summary: 'Lists what is active on the asset of a number: merchandises, then products, each naming what it is in.',
  },
  getAssetHistory: {
    method: 'GET',
    path: '/assets/{assetNum}/history',
    role: 'viewer',
    params: AssetNumParams,
    query: ListPageQuery,
    data: z.object({ entries: z.array(ToldEntry), nextCursor }),
    summary: 'Lists what happened to the assets of a number, whoever sent the orders, newest first.',
  },
});
