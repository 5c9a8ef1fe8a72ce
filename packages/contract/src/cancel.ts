import { z } from 'zod';
import { text } from './scalars.ts';

/** The body of the cancel operation (decisions 6.6). */
export const cancelBatchBody = z.object({ channelCode: text(), channelOrderId: text() });
export type CancelBatch = z.infer<typeof cancelBatchBody>;

/** How much of the batch was stopped (decisions 6.6). */
export const cancelledBatch = z
  .object({
    cancelled: z.number().describe('Orders that this call cancelled.'),
    finished: z.number().describe('Orders that had their outcome already.'),
  })
  .meta({ id: 'CancelledBatch' });
export type CancelledBatch = z.infer<typeof cancelledBatch>;
