import { z } from 'zod';
import { Cause } from '../cause-schema.ts';
import { successBody } from '../envelope.ts';
import { CustomerId } from '../ids.ts';
import { integer } from '../scalars.ts';
import { OrderState, OrderType } from './enums.ts';

const AssetPreview = z
  .object({
    assetNum: z.string().describe('Number of the asset.'),
    action: z
      .enum(['create', 'extend', 'transfer', 'revoke'])
      .meta({ id: 'AssetAction', description: 'What would become of an asset.' })
      .describe('create, extend (it is there, and is added to), transfer or revoke.'),
  })
  .meta({ id: 'AssetPreview', description: 'What an order would do with an asset.' });

const ProductPreview = z
  .object({
    assetNum: z.string().describe('Number of the asset that the product is on.'),
    productUri: z.string().describe('Product id.'),
    action: z
      .enum(['create', 'revoke'])
      .meta({ id: 'ProductAction', description: 'What would become of a product instance.' })
      .describe('create or revoke.'),
    id: z.string().nullable().describe('Id of the product instance; null while there is none.'),
  })
  .meta({ id: 'ProductPreview', description: 'What an order would do with a product instance.' });

const ComparedField = z
  .enum(['productUri', 'srcLicenseOrderId', 'limitStartDate', 'limitEndDate', 'limitConcurrent'])
  .meta({ id: 'ComparedField', description: 'A field that a delete_product compares.' });

const NearProduct = z
  .object({
    assetNum: z.string().describe('Number of the asset that the product is on.'),
    productUri: z.string().describe('Product id.'),
    id: z.string().nullable().describe('Id of the product instance; null while there is none.'),
    differs: z.array(ComparedField).describe('The fields of the order that this product instance does not match.'),
  })
  .meta({ id: 'NearProduct', description: 'An active product instance that comes near to what was named.' });

/** What one order would do if it ran now (rules 6.6). */
export const OrderPreview = z
  .object({
    sequence: integer().describe('Sequence number of the order.'),
    customerId: CustomerId.describe('Customer of the order.'),
    orderType: OrderType.describe('What the order is to do.'),
    state: OrderState.exclude(['pending'])
      .meta({ id: 'OrderPreviewState', description: 'What would become of an order.' })
      .describe('Whether it would succeed or fail.'),
    cause: Cause.nullable().describe('What it would fail for; null where it would succeed.'),
    message: z.string().nullable().describe('The same for people; null where it would succeed.'),
    assets: z.array(AssetPreview).describe('One entry for each asset; none of an order that would fail.'),
    products: z
      .array(ProductPreview)
      .describe('One entry for each product instance; none of an order that would fail.'),
    nearest: z
      .array(NearProduct)
      .describe(
        'With the cause product_not_found: up to five active products of the asset, those with the same productUri first, ' +
          'then those that differ in less. Empty for every other cause.',
      ),
  })
  .meta({ id: 'OrderPreview', description: 'What one order would do.' });
export type OrderPreview = z.infer<typeof OrderPreview>;

/** The most ignored fields that a preview lists. */
export const MAX_IGNORED_FIELDS = 20;

/** The answer of a preview (rules 6.6). */
export const PreviewAnswer = successBody(
  z.array(OrderPreview).describe('One entry for each order, in the order of orderList.'),
).extend({
  ignoredFields: z
    .array(z.string())
    .describe(`Fields that the service does not know and ignores, by their paths: the first ${MAX_IGNORED_FIELDS}.`),
});
