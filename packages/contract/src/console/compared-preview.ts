import { z } from 'zod';
import { OrderPreview } from '../orders/preview.ts';

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
