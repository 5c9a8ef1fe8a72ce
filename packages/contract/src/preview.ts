import { z } from 'zod';
import { causeWord } from './envelope.ts';
import { orderState, orderType } from './orders.ts';

const assetPreview = z.object({ assetNum: z.string(), action: z.enum(['create', 'extend', 'transfer', 'revoke']) });

const productPreview = z.object({
  assetNum: z.string(),
  productUri: z.string(),
  action: z.enum(['create', 'revoke']),
  id: z.string().nullable().describe('The product instance; null where it does not exist yet.'),
});

const nearProduct = z.object({
  assetNum: z.string(),
  productUri: z.string(),
  id: z.string().nullable(),
  differs: z
    .array(z.enum(['productUri', 'srcLicenseOrderId', 'limitStartDate', 'limitEndDate', 'limitConcurrent']))
    .describe('The fields of the order that this product instance does not match.'),
});

/** What one order would do (decisions 6.6). */
export const orderPreview = z
  .object({
    sequence: z.number(),
    customerId: z.string(),
    orderType,
    state: orderState.exclude(['pending']),
    cause: causeWord.nullable(),
    message: z.string().nullable(),
    assets: z.array(assetPreview),
    products: z.array(productPreview),
    nearest: z
      .array(nearProduct)
      .describe('Where nothing matched (product_not_found): the active products of the asset that come nearest.'),
  })
  .meta({ id: 'OrderPreview' });
export type OrderPreview = z.infer<typeof orderPreview>;
