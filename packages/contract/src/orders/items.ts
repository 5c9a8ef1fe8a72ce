import { z } from 'zod';
import type { Cause } from '../causes.ts';
import { boundedArray } from '../containers.ts';
import {
  date,
  endDate,
  flag,
  integer,
  long,
  optional,
  optionalId,
  optionalText,
  PERIOD,
  secret,
  text,
  textOrEmpty,
  timestamp,
} from '../scalars.ts';

/** The most elements in one list of O5 or its preview (rules 4). */
export const MAX_LIST_ELEMENTS = 10_000;

/** The most extended attributes of an asset, and in an element of a purchase (rules 4 and 6.5 Size). */
export const MAX_EXTENDED_ATTRIBUTES = 100;

/** Creates the schema of a list of bounded length (rules 6.1). */
const list = <Item extends z.ZodType>(item: Item, max = MAX_LIST_ELEMENTS) =>
  boundedArray(item).max(max, `must contain at most ${max} elements`);

const ExtendedAttribute = z
  .object({
    extendCode: optionalText().describe('Code of the attribute.'),
    extendValue: optionalText().describe('Value of the attribute.'),
  })
  .meta({ id: 'ExtendedAttribute', description: 'An extended attribute of an asset.' });

const FeatureToBuy = z
  .object({
    featureCode: text().describe('Code of the feature.'),
    featureName: text().describe('Name of the feature.'),
    featureValue: text().describe('Value of the feature.'),
    featureValueType: text().describe('Type of the value.'),
    trial: flag().describe('1 trial, 0 not.'),
    trialEndDate: date().describe(
      'When the trial ends: milliseconds since 1970-01-01 UTC. A text in ISO 8601 is taken too, in UTC where it names no offset.',
    ),
  })
  .meta({ id: 'FeatureToBuy', description: 'A feature of a product to buy. It is stored and shown as it was sent.' });

const STRICT =
  'In a revocation: true takes only products whose limitConcurrent and dates are equal too, false or nothing any of that productUri.';

const ProductToBuy = z
  .object({
    crmProductId: text().describe('CRM product instance id. Stored.'),
    parentCrmProductId: textOrEmpty().describe(
      'CRM parent instance id (asset instance); may be empty or null. Stored.',
    ),
    productUri: text().describe('Product id: gmsPid or appKey. A delete_product finds the product by it.'),
    productName: text().describe('Name of the product. Stored.'),
    gmsPid: optionalText().describe('Product identifier of a tool. Stored.'),
    appKey: optionalText().describe('Product identifier of a web application. Stored.'),
    productType: text().describe('Type of the product. Stored.'),
    limitStartDate: optional(timestamp()).describe(PERIOD.start),
    limitEndDate: optional(endDate()).describe(PERIOD.end),
    limitConcurrent: integer().describe('Concurrent nodes.'),
    limitTimeDuration: long().describe('Accumulated usage. Stored.'),
    strictMatchWhenDelete: optional(z.boolean())
      .transform((value) => value ?? false)
      .describe('Means nothing of a product to buy, and is not stored.'),
    trial: flag().describe('1 trial, 0 not. Stored.'),
    trialEndDate: timestamp().describe('When the trial ends: milliseconds since 1970-01-01 UTC. Stored.'),
    passwords: optional(list(secret())).describe('Passwords of the license inside the lock. Stored.'),
    timeUnit: text().describe('Unit of time. Stored; dates are never computed.'),
    timeUnitQuantity: integer().describe('How many units. Stored.'),
    timeDurationExpression: text().describe('How long it is bought for, in y-m-d form. Stored.'),
    srcLicenseOrderId: optionalId<'LicenseOrderId'>().describe(
      'Where the product came from, in place of the srcLicenseOrderId of the order: a succeeded new_buy of any customer.',
    ),
    productFeatures: list(FeatureToBuy).describe('Features of the product; may be empty.'),
  })
  .superRefine(checkPeriod)
  .meta({ id: 'Product', description: 'A product to buy.' });
export type ProductToBuy = z.infer<typeof ProductToBuy>;

const ProductToRevoke = z
  .object({
    crmProductId: text().describe('CRM product instance id. It is not compared.'),
    productUri: text().describe('Product id: gmsPid or appKey. Only products of this id are revoked.'),
    limitStartDate: optional(timestamp()).describe(`${PERIOD.start} Compared where the match is strict.`),
    limitEndDate: optional(timestamp()).describe(
      'When it ends. Compared where the match is strict; absent equals absent.',
    ),
    limitConcurrent: integer().describe('Concurrent nodes. Compared where the match is strict.'),
    strictMatchWhenDelete: optional(z.boolean())
      .transform((value) => value ?? false)
      .describe(STRICT),
  })
  .superRefine(checkPeriod)
  .meta({ id: 'ProductToRevoke', description: 'Which products to revoke.' });
export type ProductToRevoke = z.infer<typeof ProductToRevoke>;

/** The type of `optional(z.array(…))`. TypeScript cannot infer it, because merchandise contains merchandise. */
type OptionalList<Item extends z.ZodType> = ReturnType<typeof optional<z.ZodArray<Item>>>;

const Merchandise = z
  .object({
    crmProductId: text().describe('CRM product instance id. Stored.'),
    parentCrmProductId: textOrEmpty().describe('CRM parent instance id; may be empty or null. Stored.'),
    merchandiseNum: text().describe('Number of the merchandise. Stored.'),
    merchandiseName: text().describe('Name of the merchandise. Stored.'),
    parentMerchandiseNum: textOrEmpty().describe('Number of the parent; may be empty or null. Stored.'),
    timeDurationExpression: text().describe('How long it is bought for, in y-m-d form. Stored.'),
    get children(): OptionalList<typeof Merchandise> {
      return optional(list(Merchandise)).describe(
        'Merchandise inside, 16 deep at most. It is revoked with this one, and this one with the last of what is in it.',
      );
    },
    licenseOrderProductList: list(ProductToBuy).describe(
      'Products inside. They are revoked with this one, and this one with the last of what is in it.',
    ),
  })
  .meta({ id: 'Merchandise', description: 'A merchandise (package) to buy, with what is in it.' });
export type Merchandise = z.infer<typeof Merchandise>;

export const atLeastOne = <Item extends z.ZodType>(item: Item) => list(item).min(1, 'must not be empty');

export const AssetToBuy = z
  .object({
    assetNos: atLeastOne(text()).describe('Numbers of the assets to make, to add to, or to transfer.'),
    assetExtendList: optional(list(ExtendedAttribute, MAX_EXTENDED_ATTRIBUTES)).describe(
      'Extended attributes. On an asset that is there they are added or replaced.',
    ),
    limitStartDate: optional(timestamp()).describe(
      `${PERIOD.start} On an asset that is there it replaces the one before.`,
    ),
    limitEndDate: optional(endDate()).describe(`${PERIOD.end} On an asset that is there it replaces the one before.`),
    borrowedUsbKey: optional(z.boolean()).describe(
      'Whether the member center takes it for a borrowed lock. On an asset that is there it replaces what was before.',
    ),
    transferedAssetNum: optional(z.boolean()).describe(
      'Whether an asset that is active at another customer moves here, with everything on it. It may then have nothing to buy.',
    ),
    products: optional(list(ProductToBuy)).describe('Products to buy onto each of the assets.'),
    merchandises: optional(list(Merchandise)).describe('Merchandise to buy onto each of the assets.'),
  })
  .superRefine(checkPeriod)
  .meta({ id: 'AssetToBuy', description: 'Assets to buy or to buy onto, and what.' });
export type AssetToBuy = z.infer<typeof AssetToBuy>;

export const AssetToRevoke = z
  .object({ assetNos: atLeastOne(text()).describe('Numbers of the assets.') })
  .meta({ id: 'AssetToRevoke', description: 'Assets to revoke.' });

export const AssetToRevokeProductsOf = z
  .object({
    assetNos: atLeastOne(text()).describe('Numbers of the assets.'),
    limitStartDate: optional(timestamp()).describe('When the asset begins. Checked for its shape only.'),
    limitEndDate: optional(timestamp()).describe('When the asset ends. Checked for its shape only.'),
    products: atLeastOne(ProductToRevoke).describe('Which products; each must match at least one of each asset.'),
  })
  .superRefine(checkPeriod)
  .meta({ id: 'AssetToRevokeProductsOf', description: 'Assets, and which of their products to revoke.' });

/** Creates the zod issue of a fault that takes several fields to see. `cause` goes into the answer. */
export function fault(cause: Cause, path: PropertyKey[], input: unknown) {
  return { code: 'custom' as const, message: cause, path, input, params: { cause } };
}

interface Period {
  limitStartDate?: number | undefined;
  limitEndDate?: number | undefined;
}

/** Refuses a start after its end (rules 4). */
function checkPeriod(value: Period, context: z.RefinementCtx): void {
  if (
    value.limitStartDate !== undefined &&
    value.limitEndDate !== undefined &&
    value.limitStartDate > value.limitEndDate
  ) {
    context.addIssue(fault('dates_reversed', ['limitStartDate'], value.limitStartDate));
  }
}
