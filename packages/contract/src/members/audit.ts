import { z } from 'zod';
import { MemberId } from '../ids.ts';
import { long, time } from '../scalars.ts';
import { page } from './page.ts';

/** The kinds of changes in the audit record of the member center (rules 8). */
export const AuditAction = z
  .enum(['employee_added', 'employee_edited', 'password_reset', 'employee_deleted', 'assets_configured', 'assets_lent'])
  .meta({ id: 'AuditAction', description: 'What a change in the member center is called.' });
export type AuditAction = z.infer<typeof AuditAction>;

/** The actor of changes that the operator makes with the lockstep command. No employee has this id. */
export const OPERATOR_ID = '0' as MemberId;

const AuditedLending = z
  .object({
    assetNum: z.string().describe('Number of the asset.'),
    borrowedUsbKey: z.string().describe('Number of the lock that it was lent into.'),
  })
  .meta({ id: 'AuditedLending', description: 'An asset that was lent.' });

const AuditedState = z
  .object({
    userName: z.string().optional().describe('Account name, without the enterprise code.'),
    name: z.string().optional().describe('Name of the employee.'),
    departmentId: long().nullable().optional().describe('Number of the department; null without one.'),
    remark: z.string().nullable().optional().describe('The remark; null without one.'),
    passwordMobile: z.string().nullable().optional().describe('Security mobile number; null without one.'),
    assetNums: z.array(z.string()).optional().describe('Numbers of assets that were held or assigned.'),
    lent: z.array(AuditedLending).optional().describe('What of them was lent into which lock.'),
  })
  .meta({
    id: 'AuditedState',
    description: 'The fields of an employee, and the assets, that a change concerns. Never a password.',
  });

const AuditDetail = z
  .object({
    before: AuditedState.nullable().describe('What was there before; null where there was nothing.'),
    after: AuditedState.nullable().describe('What was there after it; null where there was nothing.'),
  })
  .meta({ id: 'AuditDetail', description: 'What was there before and after a change, as far as it changed.' });

/** One change in the audit record (rules 8). */
export const AuditEntry = z
  .object({
    id: z.string().describe('Id of the entry.'),
    time: time('When it was'),
    actorGlobalId: MemberId.describe('Global id of the administrator who did it; 0: the operator of the service.'),
    action: AuditAction.describe('What was done.'),
    targetGlobalId: MemberId.nullable().describe('Global id of the employee whom it concerns.'),
    detail: AuditDetail.describe('What was there before and after, as far as it changed.'),
    requestId: z.string().describe('The x-request-id of the call; the same for all employees of an M1.'),
  })
  .meta({ id: 'AuditEntry', description: 'One change in the member center.' });
export type AuditEntry = z.infer<typeof AuditEntry>;

export const AuditPage = page(AuditEntry).meta({
  id: 'AuditPage',
  description: "A page of changes. Its fields are those of Java's PageHelper.",
});
