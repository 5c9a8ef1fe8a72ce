import { z } from 'zod';
import { named } from '../containers.ts';
import { long, MemberId, time } from '../scalars.ts';
import { page } from './employees.ts';

export const AuditAction = z
  .enum(['employee_added', 'employee_edited', 'password_reset', 'employee_deleted', 'assets_configured', 'assets_lent'])
  .meta({ id: 'AuditAction', description: 'The kind of a change in the member center.' });
export type AuditAction = z.infer<typeof AuditAction>;

/** The actor of changes that an operator makes. No employee has this id. */
export const OPERATOR_ID = '0' as MemberId;

const AuditedLending = named('AuditedLending', 'A loan of an asset.', {
  assetNum: z.string().describe('Asset number.'),
  borrowedUsbKey: z.string().describe('Number of the lock into which it was lent.'),
});

const AuditedState = named('AuditedState', 'The changed fields and assets of an employee. Never a password.', {
  userName: z.string().optional().describe('Account, without the enterprise code.'),
  name: z.string().optional().describe('Name of the employee.'),
  departmentId: long().nullable().optional().describe('Department; null if none.'),
  remark: z.string().nullable().optional().describe('Remark; null if none.'),
  passwordMobile: z.string().nullable().optional().describe('Security mobile number; null if none.'),
  assetNums: z.array(z.string()).optional().describe('Numbers of assigned assets.'),
  lent: z.array(AuditedLending).optional().describe('Loans of these assets.'),
});

const AuditDetail = named('AuditDetail', 'What changed.', {
  before: AuditedState.nullable().describe('State before the change; null if there was none.'),
  after: AuditedState.nullable().describe('State after the change; null if there is none.'),
});

export const AuditEntry = named('AuditEntry', 'An entry of the audit log.', {
  id: z.string().describe('Id of the entry.'),
  time: time('When it happened'),
  actorGlobalId: MemberId.describe(
    'Global id of the administrator who made the change; 0: an operator of the service.',
  ),
  action: AuditAction.describe('Kind of the change.'),
  targetGlobalId: MemberId.nullable().describe('Global id of the employee concerned.'),
  detail: AuditDetail.describe('What changed.'),
  requestId: z.string().describe('The x-request-id of the call, shared by all employees of an M1 call.'),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

export const AuditPage = page(AuditEntry).meta({
  id: 'AuditPage',
  description: "A page of the audit log, with the fields of Java's PageHelper.",
});
