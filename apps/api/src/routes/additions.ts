import { type AddedEmployees, buildMessage, failure, readNewEmployees, success } from '@lockstep/contract';
import { addEmployees } from '@lockstep/members';
import { noteCode } from '../calls/calls.ts';
import type { MemberHandlers } from '../calls/operation-routes.ts';
import { BUSINESS_EXCEPTION } from '../failures.ts';
import type { ServerOptions } from '../options.ts';

/** M1: adds employees, each alone (rules 8). */
export function additionHandlers({ passwords }: ServerOptions) {
  return {
    addEmployees: async (request, actor, reply) => {
      const named = readNewEmployees(request.body);
      const tools = { db: request.db, passwords, signal: request.deadline.signal };
      const { data, firstFailure } = await addEmployees(tools, actor, named);
      if (firstFailure === undefined) return success(data);
      const isNobodyAdded = data.succeeded.length === 0;
      if (isNobodyAdded) reply.code(BUSINESS_EXCEPTION);
      const body = isNobodyAdded
        ? failure(firstFailure.reason, 'member', firstFailure.message)
        : failure('some_employees_failed', 'member', buildMessage('some_employees_failed', ...countEmployees(data)));
      noteCode(request, body.code, body.cause);
      return { ...body, data };
    },
  } satisfies MemberHandlers;
}

function countEmployees({ succeeded, failed }: AddedEmployees): [failed: number, all: number] {
  return [failed.length, succeeded.length + failed.length];
}
