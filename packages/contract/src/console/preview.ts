import { z } from 'zod';
import { SyncMode } from '../orders/enums.ts';
import { BatchOrder } from '../orders/orders.ts';
import { OrderPreview } from '../orders/preview.ts';
import { optionalText } from '../scalars.ts';
import { MAX_BATCH_BYTES } from '../words.ts';
import { type ConsoleOperation, post } from './operation.ts';

const { nearest } = OrderPreview.shape;
const value = z.union([z.string(), z.number()]).nullable();

/** The preview of an order, with both values of each field in which the nearest products differ. */
export const ComparedPreview = OrderPreview.extend({
  nearest: z.array(
    nearest.element.extend({
      values: z.array(z.object({ field: nearest.element.shape.differs.element, wanted: value, found: value })),
    }),
  ),
});
export type ComparedPreview = z.infer<typeof ComparedPreview>;

/** The preview of an order of a pasted batch. Its lists may be shortened; the counts are complete. */
export const PreviewedOrder = ComparedPreview.extend({
  /** The distinct asset numbers of the order, and whether each has an active asset now. */
  numbers: z.array(z.object({ assetNum: z.string(), isActive: z.boolean() })),
  numberCount: z.number(),
  assetCount: z.number(),
  productCount: z.number(),
});
export type PreviewedOrder = z.infer<typeof PreviewedOrder>;

export const PreviewedBatch = z.object({
  channelCode: z.string(),
  channelOrderId: z.string(),
  syncMode: SyncMode,
  orders: z.array(PreviewedOrder).describe('In the order of orderList.'),
  ignoredFields: z.array(z.string()).describe('The paths of the first unknown fields, which the service ignores.'),
});
export type PreviewedBatch = z.infer<typeof PreviewedBatch>;

export const previewOperations = {
  previewBatch: {
    ...post('/preview', 'viewer'),
    query: z.object({
      /** The application whose channel bindings apply; absent: all channels are allowed. */
      appKey: optionalText(),
    }),
    body: BatchOrder,
    maxBodyBytes: MAX_BATCH_BYTES,
    data: PreviewedBatch,
  },
} satisfies Record<string, ConsoleOperation>;
