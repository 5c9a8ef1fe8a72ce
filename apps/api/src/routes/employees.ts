import { success } from '@lockstep/contract';
import { deleteEmployee, editEmployee, listEmployees, readAudit, resetPassword } from '@lockstep/members';
import type { MemberHandlers } from '../calls/operation-routes.ts';
import type { ServerOptions } from '../options.ts';

/** M2 to M5 and the audit record: the employees of an enterprise (rules 8). */
export function employeeHandlers({ passwords, holdingChanges }: ServerOptions) {
  return {
    editEmployee: async (request, actor) => {
      await editEmployee(request.db, actor, request.params.memberGlobalId, request.body);
      return success(null);
    },

    resetPassword: async (request, actor) => {
      const { params, body } = request;
      const tools = { db: request.db, passwords, signal: request.deadline.signal };
      await resetPassword(tools, actor, params.memberGlobalId, body.password);
      return success(null);
    },

    deleteEmployee: async (request, actor) => {
      const tools = { changes: holdingChanges, deadline: request.deadline };
      await deleteEmployee(tools, actor, request.params.memberGlobalId);
      return success(null);
    },

    listEmployees: async (request, actor) => success(await listEmployees(request.db, actor, request.query)),

    readAudit: async (request, actor) => success(await readAudit(request.db, actor, request.query)),
  } satisfies MemberHandlers;
}
