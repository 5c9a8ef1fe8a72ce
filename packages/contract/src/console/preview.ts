import { z } from 'zod';
import { MAX_BATCH_BYTES } from '../body-limits.ts';
import { SyncMode } from '../orders/enums.ts';
import { BatchOrder } from '../orders/orders.ts';
import { OrderPreview } from '../orders/preview.ts';
import { optionalText } from '../scalars.ts';
import { consoleTable } from './operation.ts';

const { nearest } = OrderPreview.shape;
const value = z.union([z.string(), z.number()]).nullable();

/**
 * What an order would do now, with both values of each field in which the nearest products differ from what it names.
 */
export const ComparedPreview = OrderPreview.extend({
  nearest: z.array(
    nearest.element.extend({
      values: z.array(z.object({ field: nearest.element.shape.differs.element, wanted: value, found: value })),
    }),
  ),
});
export type ComparedPreview = z.infer<typeof ComparedPreview>;

/** What one order of a pasted batch would do now. Its lists may be cut; the counts say how long they are. */
export const PreviewedOrder = ComparedPreview.extend({
  /**
   * The asset numbers that the order names, each once, and whether an active asset has it before any order takes
   * effect.
   */
  numbers: z.array(z.object({ assetNum: z.string(), isActive: z.boolean() })),
  numberCount: z.number(),
  assetCount: z.number(),
  productCount: z.number(),
});
export type PreviewedOrder = z.infer<typeof PreviewedOrder>;

/** What a batch would do now. */
export const PreviewedBatch = z.object({
  channelCode: z.string(),
  channelOrderId: z.string(),
  syncMode: SyncMode,
  /** In the order of orderList. */
  orders: z.array(PreviewedOrder),
  /** The paths of the first fields that the service ignores. */
  ignoredFields: z.array(z.string()),
});
export type PreviewedBatch = z.infer<typeof PreviewedBatch>;

/** What a batch would do, for whoever has one in hand. */
export const previewOperations = consoleTable({
  previewBatch: {
    method: 'POST',
    path: '/preview',
    role: 'viewer',
    query: z.object({
      /** Whose channels hold; absent: an application that is bound to none. */
      appKey: optionalText(),
    }),
    body: BatchOrder,
    maxBodyBytes: MAX_BATCH_BYTES,
    data: PreviewedBatch,
    summary: 'What each order of a batch would do if the batch ran now; nothing changes.',
  },
});
