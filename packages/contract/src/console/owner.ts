import { z } from 'zod';
import { CustomerId, EnterpriseId } from '../ids.ts';

/** A customer and its enterprise, by ids and by names. */
export const Owner = z.object({
  customerId: CustomerId,
  customerName: z.string(),
  channelCode: z.string(),
  channelCustomerId: z.string(),
  enterpriseGlobalId: EnterpriseId,
  enterpriseName: z.string(),
});
export type Owner = z.infer<typeof Owner>;
