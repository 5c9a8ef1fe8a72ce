import { z } from 'zod';
import { CustomerId, EnterpriseId, MemberId } from '../ids.ts';
import { MAX_ADDRESS_CHARACTERS, optionalLines, text } from '../scalars.ts';

/** A customer as O1 and O3 return it (interface O1). */
export const Customer = z
  .object({
    customerId: CustomerId.describe('Id of the customer, which its orders name.'),
    channelCode: z.string().describe('The channel that the customer belongs to.'),
    channelCustomerId: z.string().describe('Number of the customer in the channel.'),
    enterpriseGlobalId: EnterpriseId.describe('Global id of the enterprise main account.'),
    enterpriseName: z.string().describe('Name of the enterprise main account.'),
    isDefault: z.boolean().describe('Whether this is the default customer of its enterprise.'),
  })
  .meta({ id: 'Customer', description: 'A customer of a channel, bound to an enterprise main account.' });
export type Customer = z.infer<typeof Customer>;

/** The body of O1 (interface O1). */
export const BindCustomer = z
  .object({
    channelCode: text().describe('The channel that the customer belongs to.'),
    channelCustomerId: text().describe('Number of the customer in the channel; with channelCode it is the customer.'),
    customerName: text().describe('Name of the customer.'),
    branchName: text().describe('Name of the branch that serves the customer.'),
    enterpriseName: text().describe('The exact name of the enterprise main account; where there is none, it is made.'),
    passwordMobile: text().describe('Security mobile number of the enterprise: the one on file, or the first.'),
  })
  .meta({ id: 'CustomerToBind', description: 'A customer, and the enterprise to bind it to.' });
export type BindCustomer = z.infer<typeof BindCustomer>;

/** The body of O2 and of O4 (interface O2). */
export const CreateEnterprise = z
  .object({
    crmCustomerId: text().describe('CRM customer number, which the enterprise is known by.'),
    customerName: text().describe('Name of the customer; of the enterprise too when it is made.'),
    branchName: text().describe('Name of the branch that serves the customer.'),
    address: optionalLines(MAX_ADDRESS_CHARACTERS).describe('Address of the customer. An update without it leaves it.'),
  })
  .meta({ id: 'CrmCustomer', description: 'A customer of the CRM.' });
export type CreateEnterprise = z.infer<typeof CreateEnterprise>;

const CreatedMember = z
  .object({
    memberGlobalId: MemberId.describe('Global id of the employee, which the member center names it by.'),
    memberIdentity: z.string().describe('Account name, name@code. There is no password yet.'),
  })
  .meta({ id: 'CreatedMember', description: 'An employee that came with an enterprise.' });

/** What O2 returns (interface O2). */
export const CreatedEnterprise = z
  .object({
    enterpriseGlobalId: EnterpriseId.describe('Global id of the enterprise main account.'),
    defaultType: z.boolean().describe('Whether the customer is the default one: always true.'),
    members: z
      .array(CreatedMember)
      .describe('The administrator and the cloud employee; none in the answer to another application than the first.'),
  })
  .meta({ id: 'CreatedEnterprise', description: 'An enterprise main account with its first employees.' });
export type CreatedEnterprise = z.infer<typeof CreatedEnterprise>;

/** The query of O3 (interface O3). */
export const QueryCustomers = z.object({
  channelCode: text().describe('The channel of the customer.'),
  channelCustomerId: text().describe('Number of the customer in the channel.'),
  defaultCustomer: z
    .enum(['Y', 'N'], 'must be Y or N')
    .meta({ id: 'DefaultCustomer', description: 'Whether only the default customer is asked for.' })
    .describe('Y: only the default customer of the enterprise; N: all of its customers.'),
});
export type QueryCustomers = z.infer<typeof QueryCustomers>;
