import { z } from 'zod';

/** The BullMQ queue that carries the work. */
export const QUEUE_NAME = 'lockstep-orders';

/**
 * A job is a pointer, never the data, so to run it again does no harm. This one: drain these lanes up to this batch.
 */
export const jobSchema = z.object({
  type: z.literal('drain'),
  version: z.literal(2),
  lanes: z.array(z.int32().min(0)),
  throughBatchId: z.string().regex(/^\d+$/),
});

export type Job = z.infer<typeof jobSchema>;
