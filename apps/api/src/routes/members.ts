import { type Cause, codeOf, failure, Refusal, readNewEmployees, success } from '@lockstep/contract';
import {
  type Actor,
  addEmployees,
  configureAssets,
  configureEmployees,
  countSeats,
  deleteEmployee,
  editEmployee,
  lendAssets,
  listAssets,
  listBorrowedLocks,
  listEmployees,
  listHoldings,
  readAssetContents,
  readAudit,
  resetPassword,
} from '@lockstep/members';
import type { Database } from '@lockstep/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { noteCode } from '../calls/calls.ts';
import type { MemberHandlers } from '../calls/operation-routes.ts';
import { recordRefusal } from '../calls/refused.ts';
import { answerLong, changeInTurn } from '../calls/turns.ts';
import { BUSINESS_EXCEPTION } from '../failures.ts';
import type { Services } from '../services.ts';

/** Calls about an enterprise take its turns, whatever application makes them. */
const partyOf = ({ enterpriseId }: Actor) => `enterprise ${enterpriseId}`;

/** Handlers of M2 to M10 and of what the interface lacks: the employees of an enterprise, and its assets (rules 8). */
export function memberHandlers(options: Services) {
  const read = async <Data>({ deadline }: FastifyRequest, actor: Actor, work: () => Promise<Data>) =>
    success(await options.reads.run(partyOf(actor), deadline.signal, work));
  const readLong = (request: FastifyRequest, actor: Actor, reply: FastifyReply, work: () => Promise<unknown>) =>
    answerLong(options, partyOf(actor), request, reply, async () => JSON.stringify(success(await work())));
  const change = async (request: FastifyRequest, actor: Actor, work: (db: Database) => Promise<void>) => {
    await changeInTurn(options, partyOf(actor), request, work);
    return success(null);
  };

  return {
    editEmployee: async (request, actor) => {
      await editEmployee(request.db, actor, request.params.memberGlobalId, request.body);
      return success(null);
    },

    resetPassword: async (request, actor) => {
      const { params, body } = request;
      const tools = { db: request.db, passwords: options.passwords, signal: request.deadline.signal };
      await resetPassword(tools, actor, params.memberGlobalId, body.password);
      return success(null);
    },

    deleteEmployee: (request, actor) =>
      change(request, actor, (db) => deleteEmployee(db, actor, request.params.memberGlobalId)),

    listEmployees: async (request, actor) => success(await listEmployees(request.db, actor, request.query)),

    readAudit: async (request, actor) => success(await readAudit(request.db, actor, request.query)),

    listEnterpriseAssets: (request, actor) => read(request, actor, () => listAssets(request.db, actor, request.query)),

    readAssetContents: (request, actor, reply) =>
      readLong(request, actor, reply, () => readAssetContents(request.db, actor, request.params.assetId)),

    listBorrowedLocks: (request, actor) =>
      read(request, actor, () => listBorrowedLocks(request.db, actor, request.query)),

    listHoldings: (request, actor) => read(request, actor, () => listHoldings(request.db, actor, request.query)),

    getSeats: (request, actor, reply) => readLong(request, actor, reply, () => countSeats(request.db, actor)),

    configureAssets: (request, actor) =>
      change(request, actor, (db) => configureAssets(db, actor, request.params.memberGlobalId, request.body)),

    configureEmployees: async (request, actor, reply) => {
      const { privileges } = request.body;
      const isPreview = request.query.preview !== undefined;
      const refusals = await changeInTurn(options, partyOf(actor), request, (db) =>
        configureEmployees(db, actor, privileges, isPreview),
      );
      const entries = privileges.map(({ memberGlobalId }, index) => ({ index, memberGlobalId }));
      const data = {
        succeeded: entries.filter((_, index) => refusals[index] === undefined),
        failed: entries.flatMap((entry, index) => {
          const refusal = refusals[index];
          if (refusal === undefined) return [];
          const { reason, message, args } = refusal;
          return [{ ...entry, code: codeOf(reason, 'member'), cause: reason, message, args: [...args] }];
        }),
      };
      const firstFailure = refusals.find((refusal) => refusal !== undefined);
      return answerEach(request, reply, data, { firstFailure, partly: 'some_privileges_failed' });
    },

    lendAssets: (request, actor) =>
      change(request, actor, (db) => lendAssets(db, actor, request.params.memberGlobalId, request.body)),
  } satisfies MemberHandlers;
}

/** Handler of M1: adds employees, each alone (rules 8). */
export function additionHandlers({ passwords }: Services) {
  return {
    addEmployees: async (request, actor, reply) => {
      const named = readNewEmployees(request.body);
      const tools = { db: request.db, passwords, signal: request.deadline.signal };
      const { data, firstFailure } = await addEmployees(tools, actor, named);
      return answerEach(request, reply, data, { firstFailure, partly: 'some_employees_failed' });
    },
  } satisfies MemberHandlers;
}

/**
 * Returns the answer of a call whose entries succeed or fail alone: if some fail, code 60027; if all do, HTTP 299 with
 * the first failure (rules 1).
 */
function answerEach<Data extends { succeeded: unknown[]; failed: unknown[] }>(
  request: FastifyRequest,
  reply: FastifyReply,
  data: Data,
  { firstFailure, partly }: { firstFailure: Refusal | undefined; partly: Cause },
) {
  if (firstFailure === undefined) return success(data);
  const [failed, succeeded] = [data.failed.length, data.succeeded.length];
  const refusal = succeeded === 0 ? firstFailure : new Refusal(partly, failed, failed + succeeded);
  const body = failure(refusal, 'member');
  noteCode(request, body.code, body.cause);
  if (succeeded === 0) {
    reply.code(BUSINESS_EXCEPTION);
    // Within a transaction, the answer is not final yet.
    if (!request.db.isTransaction) recordRefusal(request, body);
  }
  return { ...body, data };
}
