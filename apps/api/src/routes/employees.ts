import {
  type AddedEmployees,
  addEmployeesBody,
  auditPage,
  editEmployeeBody,
  employeePage,
  employeeParams,
  enterpriseParams,
  failure,
  listEmployeesQuery,
  messageOf,
  pageQuery,
  readNewEmployees,
  resetPasswordBody,
  success,
} from '@lockstep/contract';
import { addEmployees, deleteEmployee, editEmployee, listEmployees, readAudit, resetPassword } from '@lockstep/members';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { actorOf, authorizeAdministrator } from '../caller.ts';
import { noteCode } from '../calls.ts';
import { databaseOf, deadlineOf } from '../deadlines.ts';
import { BUSINESS_EXCEPTION } from '../failures.ts';
import { additionAnswers, answers, memberOperation, nonceQuery } from '../openapi.ts';
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
  const nothing = answers(z.null());
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
          'Where only some can be added, the answer is HTTP 200 with code 60027; where nobody can, HTTP 299.',
        params: enterpriseParams,
        querystring: nonceQuery,
        body: addEmployeesBody,
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
        params: employeeParams,
        querystring: nonceQuery,
        body: editEmployeeBody,
        response: nothing,
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
        summary: 'M3: reset the password of an employee',
        description: 'It ends what the employee is logged in with, and a lock-out.',
        params: employeeParams,
        querystring: nonceQuery,
        body: resetPasswordBody,
        response: nothing,
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
        description: 'It ends what the employee is logged in with, and frees what they hold and the account name.',
        params: employeeParams,
        querystring: nonceQuery,
        response: nothing,
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
        description: 'Newest first; go on while hasNextPage. The enterprise code counts only for a keyword with an @.',
        params: enterpriseParams,
        querystring: nonceQuery.extend(listEmployeesQuery.shape),
        response: answers(employeePage),
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
        summary: 'What was changed in the member center, by whom',
        description: 'Newest first; go on while hasNextPage.',
        params: enterpriseParams,
        querystring: nonceQuery.extend(pageQuery.shape),
        response: answers(auditPage),
      },
      onRequest,
    },
    async (request) => success(await readAudit(databaseOf(request, db), actorOf(request), request.query)),
  );
}

function countsOf({ succeeded, failed }: AddedEmployees): [failed: number, all: number] {
  return [failed.length, succeeded.length + failed.length];
}
