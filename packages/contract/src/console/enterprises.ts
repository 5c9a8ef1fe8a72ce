import { z } from 'zod';
import { CustomerId, EnterpriseId, MemberId } from '../ids.ts';
import { AuditEntry } from '../members/audit.ts';
import { ListPageQuery } from '../orders/lists.ts';
import { id, optionalId, optionalSearchText, optionalText, time } from '../scalars.ts';
import { consoleTable } from './operation.ts';

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

/** An enterprise in a list. */
const EnterpriseRow = z.object({
  enterpriseGlobalId: EnterpriseId,
  name: z.string(),
  code: z.string().describe('What the accounts of its employees end with.'),
  crmCustomerId: z.string().nullable().describe('The CRM customer for which O2 made it; null where O1 did.'),
  createdTime: time('When it was made'),
});
export type EnterpriseRow = z.infer<typeof EnterpriseRow>;

/** A customer in a list. */
const CustomerRow = Owner.extend({
  branchName: z.string(),
  address: z.string().nullable(),
  isDefault: z.boolean().describe('Whether it is the default customer of its enterprise.'),
  createdTime: time('When it was made'),
});
export type CustomerRow = z.infer<typeof CustomerRow>;

/** An administrator of an enterprise. */
const Administrator = z.object({
  memberGlobalId: MemberId,
  account: z.string(),
  name: z.string(),
  hasPassword: z.boolean().describe('Whether one was ever set: without one nobody can log in.'),
});
export type Administrator = z.infer<typeof Administrator>;

const EnterpriseDetail = EnterpriseRow.extend({
  securityMobile: z.string().nullable().describe('Its last four digits, the others hidden.'),
  createdBy: z
    .object({ appKey: z.string(), name: z.string() })
    .nullable()
    .describe('The application that made it by O2; null otherwise.'),
  customerCount: z.number(),
  employeeCount: z.number(),
  administrators: z.array(Administrator).describe('Its administrators, the first ones.'),
});

/** An employee in a list. */
const EmployeeRow = z.object({
  memberGlobalId: MemberId,
  account: z.string(),
  name: z.string(),
  isAdministrator: z.boolean(),
  hasPassword: z.boolean(),
  departmentId: z.number().nullable(),
  remark: z.string().nullable(),
  passwordMobile: z.string().nullable().describe('Its last four digits, the others hidden.'),
  createdTime: time('When the employee was added'),
  updatedTime: time('When the employee was changed last'),
  held: z
    .array(z.object({ assetNum: z.string(), lentInto: z.string().nullable() }))
    .describe('What the employee holds, the first of it, with the lock that it is lent into.'),
  heldCount: z.number(),
});
export type EmployeeRow = z.infer<typeof EmployeeRow>;

/** An entry of the record of the member center, with the accounts of those whom it names. */
const NamedAuditEntry = AuditEntry.extend({
  actorAccount: z.string().nullable().describe('Null for the operator of the service.'),
  targetAccount: z.string().nullable(),
});
export type NamedAuditEntry = z.infer<typeof NamedAuditEntry>;

/** An account with its new password, which is shown this once. */
const NewLogin = z.object({ memberGlobalId: MemberId, account: z.string(), password: z.string() });

const EnterpriseParams = z.object({ enterpriseGlobalId: id<'EnterpriseId'>() });
const AdministratorParams = EnterpriseParams.extend({ memberGlobalId: id<'MemberId'>() });

/** What is looked for, and the part of a query that pages through a list. */
const Search = ListPageQuery.extend({ text: optionalSearchText() });

const nextCursor = z.string().nullable();

/** Customers and enterprises, their employees and the record of their member center. */
export const enterprisesOperations = consoleTable({
  listEnterprises: {
    method: 'GET',
    path: '/enterprises',
    role: 'viewer',
    query: Search,
    data: z.object({
      exact: z.array(EnterpriseRow).describe('Those with this id, code or CRM number; on the first page only.'),
      enterprises: z.array(EnterpriseRow).describe('Those whose name begins with the text, or all, newest first.'),
      nextCursor,
    }),
    summary: 'Finds enterprises by id, code, CRM number or the beginning of the name, in any case.',
  },
  listCustomers: {
    method: 'GET',
    path: '/customers',
    role: 'viewer',
    query: Search.extend({ enterpriseGlobalId: optionalId<'EnterpriseId'>(), channelCode: optionalText() }),
    data: z.object({
      exact: z.array(CustomerRow).describe('Those with this id or number in a channel; on the first page only.'),
      customers: z.array(CustomerRow).describe('Those whose name begins with the text, or all, newest first.'),
      nextCursor,
    }),
    summary: 'Finds customers by id, number in a channel or the beginning of the name, or those of an enterprise.',
  },
  getEnterprise: {
    method: 'GET',
    path: '/enterprises/{enterpriseGlobalId}',
    role: 'viewer',
    params: EnterpriseParams,
    data: EnterpriseDetail,
    summary: 'Shows an enterprise and its administrators.',
  },
  listEmployees: {
    method: 'GET',
    path: '/enterprises/{enterpriseGlobalId}/employees',
    role: 'viewer',
    params: EnterpriseParams,
    query: Search,
    data: z.object({ employees: z.array(EmployeeRow), nextCursor }),
    summary: 'Lists the employees of an enterprise with what they hold; `text`: a part of the name or account.',
  },
  listEnterpriseAudit: {
    method: 'GET',
    path: '/enterprises/{enterpriseGlobalId}/audit',
    role: 'viewer',
    params: EnterpriseParams,
    query: ListPageQuery,
    data: z.object({ entries: z.array(NamedAuditEntry), nextCursor }),
    summary: 'Lists what was changed in the member center of an enterprise, newest first.',
  },
  createFirstAdministrator: {
    method: 'POST',
    path: '/enterprises/{enterpriseGlobalId}/first-administrator',
    role: 'support',
    params: EnterpriseParams,
    data: NewLogin,
    summary: 'Makes the first administrator of an enterprise that has none, with a password that is shown this once.',
  },
  resetAdministratorPassword: {
    method: 'POST',
    path: '/enterprises/{enterpriseGlobalId}/administrators/{memberGlobalId}/password',
    role: 'support',
    params: AdministratorParams,
    data: NewLogin,
    summary: 'Gives an administrator a new password, which is shown this once, and ends what was logged in.',
  },
});
