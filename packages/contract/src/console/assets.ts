import { z } from 'zod';
import { AssetListQuery, ListedAsset } from '../assets/lists.ts';
import { AssetDetail, AssetNumParams, HistoryEntry } from '../assets/traces.ts';
import { ListPageQuery } from '../orders/lists.ts';
import { emptyAsAbsent, LicenseOrderId, queryInteger, queryTime, time } from '../scalars.ts';
import { Validity } from '../verdict.ts';
import { Holder, Owner } from './enterprises.ts';
import { type ConsoleOperation, get, on, pagesOf } from './operation.ts';

/** An asset in a list, with its employee. */
const NamedAsset = ListedAsset.extend({
  memberAccount: z.string().nullable().describe('Account of the employee to whom it is assigned.'),
  memberName: z.string().nullable().describe('Name of the employee.'),
  revokedByApplication: z.string().nullable().describe('Name of the application that sent the order that revoked it.'),
});

/** The active asset of a number, with its owner instead of the ids, and without its contents. */
const ActiveAsset = AssetDetail.omit({
  customerId: true,
  enterpriseGlobalId: true,
  memberGlobalId: true,
  products: true,
  merchandises: true,
}).extend({
  owner: Owner,
  lent: z.boolean().describe('Whether it is lent into a borrowed lock.'),
  createdTime: time('When it was bought'),
  updatedTime: time('When it was last changed'),
  createdByOrderId: LicenseOrderId,
  /** The newest orders with a grant on it: possible srcLicenseOrderId of delete_asset. */
  licenseOrderIds: z.array(LicenseOrderId),
  hasMoreOrders: z.boolean().describe('Whether there are older ones.'),
  holder: Holder.extend({ since: time('When it was assigned') }).nullable(),
  /** The borrowed lock into which it is lent. */
  lentInto: z.object({ assetNum: z.string(), since: time('When it was lent') }).nullable(),
  /** The assets that are lent into it, if it is a borrowed lock. */
  lentHere: z.array(z.object({ assetNum: z.string(), holder: Holder.nullable(), since: time('When it was lent') })),
  hasMoreLentHere: z.boolean(),
});

/** A revoked asset of a number. */
const EarlierAsset = ActiveAsset.pick({
  assetId: true,
  licenseType: true,
  owner: true,
  createdTime: true,
  createdByOrderId: true,
}).extend({
  revokedTime: time('When it was revoked'),
  revokedByOrderId: LicenseOrderId,
});

const AssetOfNumber = z.object({
  assetNum: z.string(),
  active: ActiveAsset.nullable().describe('Null if no active asset has the number.'),
  earlier: z.array(EarlierAsset).describe('Revoked assets of the number, newest first.'),
  hasMoreEarlier: z.boolean(),
});

/** The common fields of products and merchandise. */
const Instance = z.object({
  id: z.string(),
  parentId: z.string().nullable().describe('The merchandise that contains it; null if none does.'),
  crmProductId: z.string(),
  timeDurationExpression: z.string().nullable().describe('Time expression in y-m-d form.'),
  boughtByOrderId: LicenseOrderId,
  heldByOrderId: LicenseOrderId.describe('The order that a revocation can name as its source.'),
  srcLicenseOrderId: LicenseOrderId.nullable().describe('The source that its order named.'),
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
  limitStartDate: time('Start').nullable(),
  limitEndDate: time('End').nullable(),
  validity: Validity.describe('Within the dates of its asset.'),
  limitConcurrent: z.number(),
  limitTimeDuration: z.number(),
  trial: z.boolean(),
  trialEndDate: time('When the trial ends').nullable(),
  features: z.array(Feature).describe('Its first features.'),
  featureCount: z.number(),
});

/** A product or merchandise on an asset. */
export const AssetInstance = z.discriminatedUnion('kind', [MerchandiseInstance, ProductInstance]);
export type AssetInstance = z.infer<typeof AssetInstance>;

const MAX_CONTENTS_PAGE = 1_000;
const DEFAULT_CONTENTS_PAGE = 500;

/** A change to an asset, with names in addition to ids. */
const ToldEntry = HistoryEntry.extend({
  batchId: z.string().nullable().describe('The batch of the order; null if none.'),
  applicationName: z.string().nullable().describe('The application that sent the order or changed the lock.'),
  appKey: z.string().nullable(),
  customer: Owner.nullable().describe('The owner of the asset after the change, or its last owner.'),
  fromCustomer: Owner.nullable().describe('The owner before a transfer; null otherwise.'),
  member: Holder.nullable().describe('The employee of an assignment or loan; null otherwise.'),
  /** The administrator who began or ended it; null for an operator or an order. */
  administrator: Holder.nullable(),
  instanceName: z.string().nullable().describe('Name of the product or merchandise.'),
  limitConcurrent: z.number().nullable().describe('Concurrent nodes of the product; null if it concerns none.'),
  limitEndDate: time('End of the product; null if it never ends, or if it concerns none').nullable(),
});
export type ToldEntry = z.infer<typeof ToldEntry>;

export type ActiveAsset = z.infer<typeof ActiveAsset>;
export type EarlierAsset = z.infer<typeof EarlierAsset>;
export type AssetOfNumber = z.infer<typeof AssetOfNumber>;

const asset = on('/assets/{assetNum}', AssetNumParams);

/** Assets of all channels, their contents and history. */
export const assetsOperations = {
  listAssets: { ...get('/assets'), query: AssetListQuery, ...pagesOf('assets', NamedAsset) },
  /** Counts the assets that `listAssets` has for a period, by enterprise. */
  getExpiring: {
    ...get('/expiring'),
    query: z.object({ expiresFrom: queryTime(), expiresTo: queryTime() }),
    data: z.object({
      assets: z.number(),
      enterpriseCount: z.number(),
      enterprises: z
        .array(z.object({ enterpriseGlobalId: z.string(), enterpriseName: z.string(), assets: z.number() }))
        .describe('The 20 with the most assets, most first.'),
      firstEnds: z.number().nullable().describe('How many ends were examined, the first ones; null: all.'),
    }),
  },
  getAsset: { ...asset.get(), data: AssetOfNumber },
  /** Lists the active contents of an asset: merchandise, then products, each with the id of what contains it. */
  getAssetContents: {
    ...asset.get('/contents'),
    query: ListPageQuery.extend({
      limit: emptyAsAbsent(queryInteger(1, MAX_CONTENTS_PAGE).default(DEFAULT_CONTENTS_PAGE)),
    }),
    list: { rows: ['instances'], page: { limit: String(MAX_CONTENTS_PAGE) } },
    data: z.object({
      instances: z.array(AssetInstance).describe('Each after the merchandise that contains it.'),
      nextCursor: z.string().nullable(),
    }),
  },
  getAssetHistory: { ...asset.get('/history'), query: ListPageQuery, ...pagesOf('entries', ToldEntry) },
} satisfies Record<string, ConsoleOperation>;
