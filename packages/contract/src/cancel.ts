import { z } from 'zod';
import { integer, text } from './scalars.ts';

/** The body of the cancel operation (rules 6.6). */
export const CancelBatch = z
  .object({
    channelCode: text().describe('Channel of the batch.'),
    channelOrderId: text().describe('Number under which the batch was sent.'),
  })
  .meta({ id: 'BatchToCancel', description: 'The batch to cancel.' });
export type CancelBatch = z.infer<typeof CancelBatch>;

/** How much of the batch was stopped (rules 6.6). */
export const CancelledBatch = z
  .object({
    cancelled: integer().describe('Orders that this call cancelled.'),
    finished: integer().describe('Orders that had their outcome already.'),
  })
  .meta({ id: 'CancelledBatch', description: 'What a cancel stopped of a batch; together they are the batch.' });
export type CancelledBatch = z.infer<typeof CancelledBatch>;
