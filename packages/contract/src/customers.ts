import { z } from 'zod';
import { MAX_ADDRESS_CHARACTERS, optionalLines, text } from './scalars.ts';

/** interface.md, Customer. */
export const customer = z
  .object({
    customerId: z.string(),
    channelCode: z.string(),
    channelCustomerId: z.string(),
    enterpriseGlobalId: z.string(),
    enterpriseName: z.string(),
    isDefault: z.boolean(),
  })
  .meta({ id: 'Customer' });
export type Customer = z.infer<typeof customer>;

/** interface.md O1. */
export const bindCustomerBody = z.object({
  channelCode: text(),
  channelCustomerId: text(),
  customerName: text(),
  branchName: text(),
  enterpriseName: text(),
  passwordMobile: text(),
});
export type BindCustomer = z.infer<typeof bindCustomerBody>;

/** The body of O2, and of O4, which is the same (interface.md). */
export const createEnterpriseBody = z.object({
  crmCustomerId: text(),
  customerName: text(),
  branchName: text(),
  address: optionalLines(MAX_ADDRESS_CHARACTERS),
});
export type CreateEnterprise = z.infer<typeof createEnterpriseBody>;

/** interface.md, Created enterprise. */
export const createdEnterprise = z
  .object({
    enterpriseGlobalId: z.string(),
    defaultType: z.boolean(),
    members: z
      .array(z.object({ memberGlobalId: z.string(), memberIdentity: z.string() }))
      .describe('The administrator and the cloud employee; none in the answer to another application than the first.'),
  })
  .meta({ id: 'CreatedEnterprise' });
export type CreatedEnterprise = z.infer<typeof createdEnterprise>;

/** interface.md O3. */
export const queryCustomersQuery = z.object({
  channelCode: text(),
  channelCustomerId: text(),
  defaultCustomer: z.enum(['Y', 'N'], 'must be Y or N'),
});
export type QueryCustomers = z.infer<typeof queryCustomersQuery>;
