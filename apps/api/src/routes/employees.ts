import {
  AddEmployees,
  type AddedEmployees,
  AuditPage,
  EditEmployee,
  EmployeePage,
  EmployeeParams,
  EnterpriseParams,
  failure,
  ListEmployees,
  messageOf,
  PageQuery,
  ResetPassword,
  readNewEmployees,
  success,
} from '@lockstep/contract';
import { addEmployees, deleteEmployee, editEmployee, listEmployees, readAudit, resetPassword } from '@lockstep/members';
import type { FastifyRequest } from 'fastify';
import { actorOf, authorizeAdministrator } from '../caller.ts';
import { noteCode } from '../calls.ts';
import { databaseOf, deadlineOf } from '../deadlines.ts';
import { BUSINESS_EXCEPTION } from '../failures.ts';
import { additionAnswers, answers, doneWithNullAnswers, memberOperation, nonceQuery } from '../openapi.ts';
import type { Server, ServerOptions } from '../server.ts';
import { HOLDING_TIMEOUT_MS } from './holdings.ts';

/** For an M1, whose hundred passwords take seconds, and longer behind those of others. */
const ADDITION_TIMEOUT_MS = 30_000;

/** M1 to M5 and the audit record: the employees of an enterprise (interface.md; decisions 8). */
export async function employeeRoutes(
  server: Server,
  { db, verifier, passwords, holdingChanges }: ServerOptions,
): Promise<void> {
  const onRequest = authorizeAdministrator(verifier);

  const passwordTools = (request: FastifyRequest) => ({
    db: databaseOf(request, db),
    passwords,
    signal: deadlineOf(request).signal,
  });

  server.post(
    '/enterprise/:enterpriseGlobalId/member',
    {
      schema: {
        ...memberOperation,
        operationId: 'addEmployees',
        summary: 'M1: add employees',
        description:
          'Adds 1 to 100 employees. Each is added or fails for itself: where only some can be added, the ' +
          'answer is HTTP 200 with code 60027; where nobody can, HTTP 299 with the code of the first who ' +
          'failed. The call is refused as a whole when it has no employees or more than 100, or anywhere a ' +
          'value of a wrong JSON type.',
        params: EnterpriseParams,
        querystring: nonceQuery,
        body: AddEmployees,
        response: additionAnswers,
      },
      // One employee's faults are not the call's: the handler reads the body.
      validatorCompiler: () => (data) => ({ value: data }),
      onRequest: authorizeAdministrator(verifier, 'group_id_missing'),
      config: { timeoutMs: ADDITION_TIMEOUT_MS },
    },
    async (request, reply) => {
      const named = readNewEmployees(request.body);
      const { data, firstFailure } = await addEmployees(passwordTools(request), actorOf(request), named);
      if (firstFailure === undefined) return success(data);
      const isNobodyAdded = data.succeeded.length === 0;
      if (isNobodyAdded) reply.code(BUSINESS_EXCEPTION);
      const body = isNobodyAdded
        ? failure(firstFailure.reason, 'member', firstFailure.message)
        : failure('some_employees_failed', 'member', messageOf('some_employees_failed', ...countsOf(data)));
      noteCode(request, body.code, body.cause);
      return { ...body, data };
    },
  );

  server.put(
    '/enterprise/:enterpriseGlobalId/member/:memberGlobalId',
    {
      schema: {
        ...memberOperation,
        operationId: 'editEmployee',
        summary: 'M2: edit an employee',
        description:
          'Changes name, department, remark and security mobile. `userName`, the short one or the full one (`mei@demoworks`), must be the ' +
          "employee's own: an account name never changes. An optional field that is absent or empty stays " +
          'as it is, `null` clears it. Where nothing changes, `updateTime` and the audit record stay as ' +
          'they are.',
        params: EmployeeParams,
        querystring: nonceQuery,
        body: EditEmployee,
        response: doneWithNullAnswers,
      },
      onRequest,
    },
    async (request) => {
      await editEmployee(databaseOf(request, db), actorOf(request), request.params.memberGlobalId, request.body);
      return success(null);
    },
  );

  server.put(
    '/enterprise/:enterpriseGlobalId/member/:memberGlobalId/resetPassword',
    {
      schema: {
        ...memberOperation,
        operationId: 'resetPassword',
        summary: 'M3: reset a password',
        description:
          'Gives an employee a new password. Whoever is logged in as that employee, through whatever ' +
          'application, is so no longer, and a lock-out ends. An administrator may do that to the own ' +
          'account, and then has to log in again.',
        params: EmployeeParams,
        querystring: nonceQuery,
        body: ResetPassword,
        response: doneWithNullAnswers,
      },
      onRequest,
    },
    async (request) => {
      const { params, body } = request;
      await resetPassword(passwordTools(request), actorOf(request), params.memberGlobalId, body.password);
      return success(null);
    },
  );

  server.delete(
    '/enterprise/:enterpriseGlobalId/member/:memberGlobalId',
    {
      schema: {
        ...memberOperation,
        operationId: 'deleteEmployee',
        summary: 'M4: delete an employee',
        description:
          "Deletes an employee and releases what was held. The employee's user tokens end, and M5 shows " +
          'the employee no more. The account name may be given again, to somebody who gets another ' +
          '`memberGlobalId`. The last administrator of an enterprise cannot be deleted.',
        params: EmployeeParams,
        querystring: nonceQuery,
        response: doneWithNullAnswers,
      },
      onRequest,
      config: { timeoutMs: HOLDING_TIMEOUT_MS },
    },
    async (request) => {
      const tools = { changes: holdingChanges, deadline: deadlineOf(request) };
      await deleteEmployee(tools, actorOf(request), request.params.memberGlobalId);
      return success(null);
    },
  );

  server.get(
    '/enterprise/:enterpriseGlobalId/members',
    {
      schema: {
        ...memberOperation,
        operationId: 'listEmployees',
        summary: 'M5: list employees',
        description:
          'Lists the employees, administrators too, newest first. Go on while `hasNextPage`: behind the ' +
          'last page `isLastPage` is false, and `firstPage` and `lastPage` are the ends of ' +
          "`navigatepageNums`, as in Java's PageHelper. A page behind the last is empty. Where employees " +
          'are added while you turn pages, one may come twice.',
        params: EnterpriseParams,
        querystring: nonceQuery.extend(ListEmployees.shape),
        response: answers(EmployeePage),
      },
      onRequest,
    },
    async (request) => success(await listEmployees(databaseOf(request, db), actorOf(request), request.query)),
  );

  server.get(
    '/enterprise/:enterpriseGlobalId/audit',
    {
      schema: {
        ...memberOperation,
        operationId: 'readAudit',
        summary: 'The audit record',
        description:
          'Lists every change that was made in the member center of the enterprise, newest first, in pages ' +
          'like those of M5. There are no filters.',
        params: EnterpriseParams,
        querystring: nonceQuery.extend(PageQuery.shape),
        response: answers(AuditPage),
      },
      onRequest,
    },
    async (request) => success(await readAudit(databaseOf(request, db), actorOf(request), request.query)),
  );
}

function countsOf({ succeeded, failed }: AddedEmployees): [failed: number, all: number] {
  return [failed.length, succeeded.length + failed.length];
}
