import { z } from 'zod';
import { page } from './page.ts';
import { time } from './scalars.ts';

/** What a change in the member center is called in the audit record (decisions 8). */
export const auditAction = z.enum([
  'employee_added',
  'employee_edited',
  'password_reset',
  'employee_deleted',
  'assets_configured',
  'assets_lent',
]);
export type AuditAction = z.infer<typeof auditAction>;

/** Who acts where the operator of the service does, with the lockstep command: no employee has this id. */
export const OPERATOR_ID = '0';

/** One change (decisions 8). */
const auditEntry = z
  .object({
    id: z.string(),
    time: time(),
    actorGlobalId: z.string().describe('The administrator who did it; 0: the operator of the service.'),
    action: auditAction,
    targetGlobalId: z.string().nullable().describe('The employee whom it concerns.'),
    detail: z
      .object({
        before: z.record(z.string(), z.unknown()).nullable(),
        after: z.record(z.string(), z.unknown()).nullable(),
      })
      .describe(
        'What was there before and after, as far as it changed: the fields of an employee; of assets their numbers, and ' +
          'what of them was lent into which borrowed lock. Never a password.',
      ),
    requestId: z.string().describe('The x-request-id of the call.'),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof auditEntry>;

export const auditPage = page(auditEntry).meta({ id: 'AuditPage' });
