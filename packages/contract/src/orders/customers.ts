import { z } from 'zod';
import { named, namedEnum } from '../containers.ts';
import {
  CustomerId,
  EnterpriseId,
  LicenseOrderId,
  MAX_ADDRESS_CHARACTERS,
  MemberId,
  mobile,
  optional,
  optionalId,
  optionalLines,
  optionalText,
  REQUIRED,
  searchText,
  text,
  textOrNull,
  time,
} from '../scalars.ts';
import type { CONTACT_FIELDS } from '../words.ts';
import { ListPageQuery, NEXT_CURSOR } from './lists.ts';

/** The values of CONTACT_FIELDS. */
export type ContactFields = Record<(typeof CONTACT_FIELDS)[number], string>;

export const Contact = named('Contact', 'Who buys for a customer, as its newest order that took effect says.', {
  adminName: z.string().describe('Name of the administrator.'),
  adminAccount: z.string().describe('Account of the administrator.'),
  adminEmail: z.string().describe('E-mail of the administrator.'),
  adminCellNumber: z.string().describe('Mobile number of the administrator.'),
  passwordMobile: z.string().describe('Mobile number of the purchaser.'),
  address: z.string().describe('Address of the customer.'),
  branchCode: z.string().describe('Code of the branch.'),
  branchName: z.string().describe('Name of the branch.'),
  licenseOrderId: LicenseOrderId.describe('The order that first said so.'),
  updatedTime: time('When that order took effect'),
});
export type Contact = z.infer<typeof Contact>;

/** A customer as O1 and O3 return it (interface O1). */
export const Customer = named('Customer', 'A customer: an enterprise as one channel knows it.', {
  customerId: CustomerId.describe('Id of the customer, for its orders.'),
  channelCode: z.string().describe('Channel of the customer.'),
  channelCustomerId: z.string().describe('Id of the customer in the channel.'),
  enterpriseGlobalId: EnterpriseId.describe('Global id of the enterprise.'),
  enterpriseName: z.string().describe('Name of the enterprise.'),
  isDefault: z.boolean().describe('Whether this is the default customer of its enterprise.'),
  contact: Contact.nullable().describe('Who buys for it; null before its first order, or if it was erased.'),
});
export type Customer = z.infer<typeof Customer>;

/** The body of O1 (interface O1). */
export const BindCustomer = named('CustomerToBind', 'A customer to bind to an enterprise.', {
  channelCode: text().describe('Channel of the customer.'),
  channelCustomerId: text().describe(
    'Id of the customer in the channel. With channelCode, it identifies the customer.',
  ),
  customerName: text().describe('Name of the customer.'),
  branchName: text().describe('Name of the branch that serves the customer.'),
  enterpriseName: text().describe('Exact name of the enterprise; a new name creates an enterprise.'),
  passwordMobile: mobile()
    .min(1, REQUIRED)
    .describe('Security mobile number, as in M1: the one on file, or that of a new enterprise. +86 may be omitted.'),
});
export type BindCustomer = z.infer<typeof BindCustomer>;

/** The body of O2 and of O4 (interface O2). */
export const CreateEnterprise = named('CrmCustomer', 'A customer in the CRM.', {
  crmCustomerId: text().describe('CRM customer number, which identifies the enterprise.'),
  customerName: text().describe('Name of the customer; for O2, also of the enterprise.'),
  branchName: text().describe('Name of the branch that serves the customer.'),
  address: optionalLines(MAX_ADDRESS_CHARACTERS).describe('Address of the customer. O4 without an address keeps it.'),
});
export type CreateEnterprise = z.infer<typeof CreateEnterprise>;

const CreatedMember = named('CreatedMember', 'An employee that was created with an enterprise.', {
  memberGlobalId: MemberId.describe('Global id of the employee.'),
  memberIdentity: z.string().describe('Account, name@code. It has no password yet.'),
});

/** What O2 returns (interface O2). */
export const CreatedEnterprise = named('CreatedEnterprise', 'An enterprise with its first employees.', {
  enterpriseGlobalId: EnterpriseId.describe('Global id of the enterprise.'),
  defaultType: z.boolean().describe('Always true: it is the default customer.'),
  members: z
    .array(CreatedMember)
    .describe(
      'The administrator and the cloud-licensed employee; empty if another application created the enterprise.',
    ),
});
export type CreatedEnterprise = z.infer<typeof CreatedEnterprise>;

/** The query of the list of customers (rules 6.7). Another filter is refused. */
export const CustomerListQuery = z.strictObject({
  name: optional(searchText()).describe(
    'Only customers whose name contains this, whatever its case. One character must begin the name.',
  ),
  channelCode: optionalText().describe('Only customers in this channel.'),
  channelCustomerId: optionalText().describe('Only customers with this id in their channel.'),
  enterpriseGlobalId: optionalId<'EnterpriseId'>().describe('Only customers of this enterprise.'),
  ...ListPageQuery.shape,
});
export type CustomerListQuery = z.infer<typeof CustomerListQuery>;

export const ListedCustomer = Customer.extend({
  customerName: z.string().describe('Name of the customer.'),
  branchName: z.string().describe('Name of the branch that serves the customer.'),
  address: textOrNull('Address of the customer; null if none was sent (O2, O4).'),
  createdTime: time('When it was created'),
}).meta({ id: 'ListedCustomer', description: 'A customer in a list.' });
export type ListedCustomer = z.infer<typeof ListedCustomer>;

export const CustomerPage = named('CustomerPage', 'A page of customers.', {
  customers: z.array(ListedCustomer).describe('The customers.'),
  nextCursor: NEXT_CURSOR,
});
export type CustomerPage = z.infer<typeof CustomerPage>;

/** The query of O3 (interface O3). */
export const QueryCustomers = z.object({
  channelCode: text().describe('The channel of the customer.'),
  channelCustomerId: text().describe('Id of the customer in the channel.'),
  defaultCustomer: namedEnum('DefaultCustomer', 'Whether to return only the default customer.', ['Y', 'N']).describe(
    'Y: the default customer of the enterprise. N: all its customers.',
  ),
});
export type QueryCustomers = z.infer<typeof QueryCustomers>;
