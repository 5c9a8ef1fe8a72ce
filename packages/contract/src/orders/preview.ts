import { z } from 'zod';
import { named, namedEnum } from '../containers.ts';
import { Cause, MessageArgs, successBody } from '../envelope.ts';
import { CustomerId, integer, textOrNull } from '../scalars.ts';
import { OrderState, OrderType } from './enums.ts';
import { concerned } from './results.ts';

const AssetPreview = named('AssetPreview', 'An asset that an order would change.', {
  assetNum: z.string().describe('Asset number.'),
  action: namedEnum('AssetAction', 'What an order would do to an asset.', [
    'create',
    'extend',
    'transfer',
    'revoke',
  ]).describe('create, extend (add to an existing asset), transfer or revoke.'),
});

const ProductPreview = named('ProductPreview', 'A product that an order would change.', {
  assetNum: z.string().describe('Number of the asset of the product.'),
  productUri: z.string().describe('Product id.'),
  action: namedEnum('ProductAction', 'What an order would do to a product.', ['create', 'revoke']).describe(
    'create or revoke.',
  ),
  id: textOrNull('Id of the product; null if it does not exist yet.'),
});

const ComparedField = z
  .enum(['productUri', 'srcLicenseOrderId', 'limitStartDate', 'limitEndDate', 'limitConcurrent'])
  .meta({ id: 'ComparedField', description: 'A field that delete_product compares.' });

const NearProduct = named('NearProduct', 'An active product that nearly matches.', {
  ...ProductPreview.omit({ action: true }).shape,
  differs: z.array(ComparedField).describe('The fields in which it differs from the order.'),
});

export const OrderPreview = named('OrderPreview', 'What an order would do.', {
  sequence: integer().describe('Sequence number of the order.'),
  customerId: CustomerId.describe('Customer of the order.'),
  orderType: OrderType.describe('Type of the order.'),
  state: OrderState.exclude(['pending'])
    .meta({ id: 'OrderPreviewState', description: 'Outcome that an order would have.' })
    .describe('succeeded or failed.'),
  cause: Cause.nullable().describe('Why it would fail; null if it would succeed.'),
  message: textOrNull('The cause in words; null if it would succeed.'),
  args: MessageArgs.nullable().describe('The values in the message; null if it would succeed.'),
  ...concerned,
  assets: z.array(AssetPreview).describe('Assets that it would change; empty if it would fail.'),
  products: z.array(ProductPreview).describe('Products that it would change; empty if it would fail.'),
  nearest: z
    .array(NearProduct)
    .describe(
      'For product_not_found: up to five active products of the asset, those with the same productUri first, then those ' +
        'with fewer differences. Otherwise empty.',
    ),
});
export type OrderPreview = z.infer<typeof OrderPreview>;

/** Maximum ignored fields that a preview lists. */
export const MAX_IGNORED_FIELDS = 20;

/** The answer of a preview (rules 6.6). */
export const PreviewAnswer = successBody(
  z.array(OrderPreview).describe('One entry for each order, in the order of orderList.'),
).extend({
  ignoredFields: z
    .array(z.string())
    .describe(`Paths of unknown fields, which the service ignores: the first ${MAX_IGNORED_FIELDS}.`),
});
