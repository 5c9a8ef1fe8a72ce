import { ORDERS_PER_BATCH } from '@lockstep/assets';
import { nested } from '@lockstep/contract';
import { z } from 'zod';

/*
 * The stored form of orders, version 1. It never changes, because databases hold it and digests are taken over it: no
 * field and no type here, nor the order of the fields. A field that a later release brings goes into a version of its
 * own. So nothing here comes from the schemas of calls. The types are those of JSON alone; what a value means is for
 * the planner.
 */

const text = z.string();
const texts = z.array(text);
const number = z.number();
const flag = z.boolean();
const period = { limitStartDate: number.optional(), limitEndDate: number.optional() };

const Feature = z.object({
  featureCode: text,
  featureName: text,
  featureValue: text,
  featureValueType: text,
  trial: number,
  trialEndDate: number,
});

const Product = z.object({
  crmProductId: text,
  parentCrmProductId: text,
  productUri: text,
  productName: text,
  gmsPid: text.optional(),
  appKey: text.optional(),
  productType: text,
  ...period,
  limitConcurrent: number,
  limitTimeDuration: number,
  strictMatchWhenDelete: flag,
  trial: number,
  trialEndDate: number,
  passwords: texts.optional(),
  timeUnit: text,
  timeUnitQuantity: number,
  timeDurationExpression: text,
  srcLicenseOrderId: text.optional(),
  productFeatures: z.array(Feature),
});

const Merchandise = z.object({
  crmProductId: text,
  parentCrmProductId: text,
  merchandiseNum: text,
  merchandiseName: text,
  parentMerchandiseNum: text,
  timeDurationExpression: text,
  children: nested((): z.ZodType<unknown[]> => innerMerchandises()).optional(),
  licenseOrderProductList: z.array(Product),
});
const innerMerchandises = compiledOnce(() => z.array(Merchandise));

const AssetToBuy = z.object({
  assetNos: texts,
  assetExtendList: z.array(z.object({ extendCode: text.optional(), extendValue: text.optional() })).optional(),
  ...period,
  borrowedUsbKey: flag.optional(),
  transferedAssetNum: flag.optional(),
  products: z.array(Product).optional(),
  merchandises: z.array(Merchandise).optional(),
});

const ProductToRevoke = z.object({
  crmProductId: text,
  productUri: text,
  ...period,
  limitConcurrent: number,
  strictMatchWhenDelete: flag,
});

const header = {
  sequence: number,
  customerId: text,
  crmCustomerId: text,
  customerName: text,
  channelCustomerId: text,
  adminName: text,
  adminAccount: text,
  adminEmail: text,
  adminCellNumber: text,
  passwordMobile: text,
  address: text,
  customerType: text,
  branchCode: text,
  branchName: text,
  enterpriseGlobalId: text,
  srcLicenseOrderId: text.optional(),
  licenseType: text,
};

const StoredOrderV1 = z.discriminatedUnion('orderType', [
  z.object({ ...header, orderType: z.literal('new_buy'), assets: z.array(AssetToBuy) }),
  z.object({ ...header, orderType: z.literal('delete_asset'), assets: z.array(z.object({ assetNos: texts })) }),
  z.object({
    ...header,
    orderType: z.literal('delete_product'),
    assets: z.array(z.object({ assetNos: texts, ...period, products: z.array(ProductToRevoke) })),
  }),
]);
export type StoredOrderV1 = z.infer<typeof StoredOrderV1>;

/** The schema of an order in form 1. What it returns has the fields in the order of the form, and no others. */
export const storedOrderV1 = compiledOnce(() => StoredOrderV1);

/** The schema of a list of orders in form 1, each with its place in orderList. */
export const storedOrdersV1 = compiledOnce(() =>
  z.array(
    z.tuple([
      z
        .int()
        .min(0)
        .max(ORDERS_PER_BATCH - 1),
      StoredOrderV1,
    ]),
  ),
);

/** Has zod generate code for a schema when it is first used, which takes milliseconds. The code takes half the time. */
function compiledOnce<Schema extends z.ZodType>(build: () => Schema): () => Schema {
  let compiled: Schema | undefined;
  return () => (compiled ??= z.compile(build(), { strict: true }));
}
