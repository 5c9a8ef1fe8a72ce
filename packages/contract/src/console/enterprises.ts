import { z } from 'zod';
import { AuditEntry } from '../members/audit.ts';
import { Holding, ListHoldings } from '../members/holding-history.ts';
import { Seats } from '../members/seats.ts';
import { BindCustomer, ListedCustomer } from '../orders/customers.ts';
import { ListPageQuery } from '../orders/lists.ts';
import { whole } from '../routes.ts';
import {
  CustomerId,
  EnterpriseId,
  id,
  MemberId,
  optional,
  optionalId,
  optionalText,
  searchText,
  time,
} from '../scalars.ts';
import { Verdict } from '../verdict.ts';
import { type ConsoleOperation, get, on, pagesOf } from './operation.ts';

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

const EnterpriseRow = z.object({
  enterpriseGlobalId: EnterpriseId,
  name: z.string(),
  code: z.string().describe('The enterprise code, with which its accounts end.'),
  crmCustomerId: z.string().nullable().describe('The CRM customer number for O2; null if O1 created it.'),
  createdTime: time('When it was created'),
});
export type EnterpriseRow = z.infer<typeof EnterpriseRow>;

/** An employee, such as the one to whom an asset is assigned. */
export const Holder = z.object({ memberGlobalId: MemberId, account: z.string(), name: z.string() });
export type Holder = z.infer<typeof Holder>;

const Administrator = Holder.extend({
  hasPassword: z.boolean().describe('Whether a password was ever set; without one the account cannot log in.'),
});
export type Administrator = z.infer<typeof Administrator>;

const EnterpriseDetail = EnterpriseRow.extend({
  securityMobile: z.string().nullable().describe('The last four digits; the others are hidden.'),
  /** The application that created it with O2; null otherwise. */
  createdBy: z.object({ appKey: z.string(), name: z.string() }).nullable(),
  customerCount: z.number(),
  employeeCount: z.number(),
  administrators: z.array(Administrator).describe('Its first administrators.'),
});

const EmployeeRow = Holder.extend({
  isAdministrator: z.boolean(),
  hasPassword: z.boolean(),
  departmentId: z.number().nullable(),
  remark: z.string().nullable(),
  passwordMobile: z.string().nullable().describe('The last four digits; the others are hidden.'),
  createdTime: time('When the employee was added'),
  updatedTime: time('When the employee was last changed'),
  /** The first assigned assets, with the lock into which each is lent. */
  held: z.array(z.object({ assetNum: z.string(), lentInto: z.string().nullable(), verdict: Verdict })),
  heldCount: z.number(),
});
export type EmployeeRow = z.infer<typeof EmployeeRow>;

/** An entry of the audit log of the member center, with the accounts of the employees. */
const NamedAuditEntry = AuditEntry.extend({
  actorAccount: z.string().nullable().describe('Null for an operator of the service.'),
  targetAccount: z.string().nullable(),
});
export type NamedAuditEntry = z.infer<typeof NamedAuditEntry>;

/** An assignment or loan, with the accounts of the administrators. */
const NamedHolding = Holding.extend({
  beganByAccount: z.string().nullable().describe('Null for an operator.'),
  endedByAccount: z.string().nullable().describe('Null for an operator or an order, and if it is current.'),
});

/** An account with its new password, which is shown only once. */
const NewLogin = z.object({ memberGlobalId: MemberId, account: z.string(), password: z.string() });

const EnterpriseParams = z.object({ enterpriseGlobalId: id<'EnterpriseId'>() });
const enterprise = on('/enterprises/{enterpriseGlobalId}', EnterpriseParams);
const administrator = on(
  '/enterprises/{enterpriseGlobalId}/administrators/{memberGlobalId}',
  EnterpriseParams.extend({ memberGlobalId: id<'MemberId'>() }),
);

/** The query of a list that can be searched. */
const Search = ListPageQuery.extend({ text: optional(searchText()) });

export const enterprisesOperations = {
  /** Lists enterprises, newest first, by part of the name, id, code or CRM number, ignoring case. */
  listEnterprises: { ...get('/enterprises'), query: Search, ...pagesOf('enterprises', EnterpriseRow) },
  /** Lists customers, newest first, by id, enterprise, channel, and part of the name, id, or id in the channel. */
  listCustomers: {
    ...get('/customers'),
    query: Search.extend({
      customerId: optionalId<'CustomerId'>(),
      enterpriseGlobalId: optionalId<'EnterpriseId'>(),
      channelCode: optionalText(),
    }),
    ...pagesOf('customers', ListedCustomer),
  },
  getEnterprise: { ...enterprise.get(), data: EnterpriseDetail },
  /** Lists the employees of an enterprise with their assets; `text` is part of the name or account. */
  listEmployees: { ...enterprise.get('/employees'), query: Search, ...pagesOf('employees', EmployeeRow) },
  /** Counts the seats of an enterprise, by product and by license type. */
  getSeats: { ...enterprise.get('/seats'), list: whole('products'), data: Seats },
  /** Lists the assignments and loans of an enterprise, newest first. */
  listHoldings: { ...enterprise.get('/holdings'), query: ListHoldings, ...pagesOf('holdings', NamedHolding) },
  listEnterpriseAuditLog: {
    ...enterprise.get('/audit-log'),
    query: ListPageQuery,
    ...pagesOf('entries', NamedAuditEntry),
  },
  /** Sets the security mobile number of an enterprise, with which channels bind customers by O1. */
  setSecurityMobile: {
    ...enterprise.post('/security-mobile', 'support'),
    body: z.object({ securityMobile: BindCustomer.shape.passwordMobile }),
    data: z.null(),
  },
  createFirstAdministrator: { ...enterprise.post('/first-administrator', 'support'), data: NewLogin },
  /** Sets a new password for an administrator, shown only once, and logs them out everywhere. */
  resetAdministratorPassword: { ...administrator.post('/password', 'support'), data: NewLogin },
} satisfies Record<string, ConsoleOperation>;
