import { z } from 'zod';
import type { Cause } from '../causes.ts';
import { boundedArray, named } from '../containers.ts';
import {
  assetNumber,
  date,
  flag,
  integer,
  long,
  MAX_TIME,
  optional,
  optionalId,
  optionalText,
  recentTime,
  secret,
  text,
  textOrEmpty,
  timestamp,
} from '../scalars.ts';
import { fault } from '../templates.ts';

/** Maximum elements of one list of O5 or its preview (rules 4). */
export const MAX_LIST_ELEMENTS = 10_000;

/** Maximum extended attributes of an asset, and of an element of a purchase (rules 4 and 6.5 Size). */
export const MAX_EXTENDED_ATTRIBUTES = 100;

const PERIOD = {
  start: 'Start: milliseconds since 1970-01-01 UTC. Must not be after the end.',
  end: 'End: milliseconds since 1970-01-01 UTC. The service revokes nothing when it passes.',
};

/** Creates a list schema with a maximum length (rules 6.1). */
const list = <Item extends z.ZodType>(item: Item, max = MAX_LIST_ELEMENTS) =>
  boundedArray(item).max(max, fault('too_many', max));

const ExtendedAttribute = named('ExtendedAttribute', 'An extended attribute of an asset.', {
  extendCode: optionalText().describe('Code of the attribute.'),
  extendValue: optionalText().describe('Value of the attribute.'),
});

const FeatureToBuy = named('FeatureToBuy', 'A feature of a product to buy. Stored and returned as sent.', {
  featureCode: text().describe('Code of the feature.'),
  featureName: text().describe('Name of the feature.'),
  featureValue: text().describe('Value of the feature.'),
  featureValueType: text().describe('Type of the value.'),
  trial: flag().describe('1: trial, 0: not.'),
  trialEndDate: date().describe(
    'When the trial ends: milliseconds since 1970-01-01 UTC, or an ISO 8601 date (UTC unless it has an offset).',
  ),
});

const STRICT =
  'true: revoke only products with the same productUri, dates and limitConcurrent. false or absent: all with the same productUri.';

const ProductToBuy = z
  .object({
    crmProductId: text().describe('CRM product instance id. Stored.'),
    parentCrmProductId: textOrEmpty().describe(
      'CRM parent instance id (asset instance); may be empty or null. Stored.',
    ),
    productUri: text().describe('Product id: gmsPid or appKey. delete_product finds products by it.'),
    productName: text().describe('Name of the product. Stored.'),
    gmsPid: optionalText().describe('Product identifier of a tool. Stored.'),
    appKey: optionalText().describe('Product identifier of a web application. Stored.'),
    productType: text().describe('Type of the product. Stored.'),
    limitStartDate: optional(timestamp()).describe(PERIOD.start),
    limitEndDate: optional(recentTime()).describe(PERIOD.end),
    limitConcurrent: integer().describe('Concurrent nodes.'),
    limitTimeDuration: long().describe('Accumulated usage duration. Stored.'),
    strictMatchWhenDelete: optional(z.boolean())
      .transform((value) => value ?? false)
      .describe('Ignored.'),
    trial: flag().describe('1: trial, 0: not. Stored.'),
    trialEndDate: timestamp().describe('When the trial ends: milliseconds since 1970-01-01 UTC. Stored.'),
    passwords: optional(list(secret())).describe('Passwords of the license inside the lock. Stored.'),
    timeUnit: text().describe('Time unit. Stored; the service computes no dates.'),
    timeUnitQuantity: integer().describe('Number of units. Stored.'),
    timeDurationExpression: text().describe('Time expression in y-m-d form. Stored.'),
    srcLicenseOrderId: optionalId<'LicenseOrderId'>().describe(
      'The succeeded new_buy from which the product was transferred; overrides the srcLicenseOrderId of the order.',
    ),
    productFeatures: list(FeatureToBuy).describe('Features of the product; may be empty.'),
  })
  .superRefine(checkPeriod)
  .meta({ id: 'Product', description: 'A product to buy.' });
export type ProductToBuy = z.infer<typeof ProductToBuy>;

const ProductToRevoke = z
  .object({
    crmProductId: text().describe('CRM product instance id. Not compared.'),
    productUri: text().describe('Product id: gmsPid or appKey. Only products with this id are revoked.'),
    limitStartDate: optional(timestamp()).describe('Start. Compared in a strict match; absent equals absent.'),
    limitEndDate: optional(timestamp()).describe('End. Compared in a strict match; absent equals absent.'),
    limitConcurrent: integer().describe('Concurrent nodes. Compared in a strict match.'),
    strictMatchWhenDelete: optional(z.boolean())
      .transform((value) => value ?? false)
      .describe(STRICT),
  })
  .superRefine(checkPeriod)
  .meta({ id: 'ProductToRevoke', description: 'Products to revoke.' });
export type ProductToRevoke = z.infer<typeof ProductToRevoke>;

/** The type of `optional(z.array(…))`, which TypeScript cannot infer for merchandise inside merchandise. */
type OptionalList<Item extends z.ZodType> = ReturnType<typeof optional<z.ZodArray<Item>>>;

const Merchandise = named('Merchandise', 'Merchandise (a package) to buy, with its contents.', {
  crmProductId: text().describe('CRM product instance id. Stored.'),
  parentCrmProductId: textOrEmpty().describe('CRM parent instance id; may be empty or null. Stored.'),
  merchandiseNum: text().describe('Number of the merchandise. Stored.'),
  merchandiseName: text().describe('Name of the merchandise. Stored.'),
  parentMerchandiseNum: textOrEmpty().describe('Number of the parent merchandise; may be empty or null. Stored.'),
  timeDurationExpression: text().describe('Time expression in y-m-d form. Stored.'),
  get children(): OptionalList<typeof Merchandise> {
    return optional(list(Merchandise)).describe(
      'Merchandise inside, up to 16 levels. Revoked with this one; this one is revoked with the last of its contents.',
    );
  },
  licenseOrderProductList: list(ProductToBuy).describe('Products inside, revoked like children.'),
});
export type Merchandise = z.infer<typeof Merchandise>;

export const atLeastOne = <Item extends z.ZodType>(item: Item) => list(item).min(1, fault('empty'));

export const AssetToBuy = z
  .object({
    assetNos: atLeastOne(assetNumber()).describe('Asset numbers to create, extend or transfer.'),
    assetExtendList: optional(list(ExtendedAttribute, MAX_EXTENDED_ATTRIBUTES)).describe(
      'Extended attributes. On an existing asset, they are added or replace those with the same code.',
    ),
    limitStartDate: optional(timestamp()).describe(`${PERIOD.start} Replaces that of an existing asset.`),
    limitEndDate: optional(recentTime()).describe(
      `${PERIOD.end} Replaces that of an existing asset; ${MAX_TIME} removes it.`,
    ),
    borrowedUsbKey: optional(z.boolean()).describe(
      'Whether the asset is a borrowed lock. Replaces the value of an existing asset.',
    ),
    transferedAssetNum: optional(z.boolean()).describe(
      'Whether to transfer an active asset of another customer with its contents. It then needs no products or ' +
        'merchandise. An asset that the customer already owns is extended.',
    ),
    products: optional(list(ProductToBuy)).describe('Products to buy for each asset.'),
    merchandises: optional(list(Merchandise)).describe('Merchandise to buy for each asset.'),
  })
  .superRefine(checkPeriod)
  .meta({ id: 'AssetToBuy', description: 'Assets to buy or extend, and what to buy.' });
export type AssetToBuy = z.infer<typeof AssetToBuy>;

export const AssetToRevoke = named('AssetToRevoke', 'Assets to revoke.', {
  assetNos: atLeastOne(assetNumber()).describe('Asset numbers.'),
});

export const AssetToRevokeProductsOf = z
  .object({
    assetNos: atLeastOne(assetNumber()).describe('Asset numbers.'),
    limitStartDate: optional(timestamp()).describe('Start of the asset. Validated only.'),
    limitEndDate: optional(timestamp()).describe('End of the asset. Validated only.'),
    products: atLeastOne(ProductToRevoke).describe(
      'Products to revoke. Each must match at least one product of each asset.',
    ),
  })
  .superRefine(checkPeriod)
  .meta({ id: 'AssetToRevokeProductsOf', description: 'Assets and the products to revoke on them.' });

/** Creates the zod issue of a fault that involves several fields, with the cause for the answer. */
export function issueOf(cause: Cause, path: PropertyKey[], input: unknown) {
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
    context.addIssue(issueOf('dates_reversed', ['limitStartDate'], value.limitStartDate));
  }
}
