import { z } from 'zod';

/**
 * Orders that were accepted, took effect, and failed. An order that was put back and carried out again counts again.
 */
export const OrderCounts = z.object({ accepted: z.number(), succeeded: z.number(), failed: z.number() });
export type OrderCounts = z.infer<typeof OrderCounts>;
