import { type AddedEmployees, failure, Refusal, readNewEmployees, success } from '@lockstep/contract';
import {
  type Actor,
  addEmployees,
  configureAssets,
  countSeats,
  deleteEmployee,
  editEmployee,
  lendAssets,
  listAssets,
  listBorrowedLocks,
  listEmployees,
  readAssetContents,
  readAudit,
  resetPassword,
} from '@lockstep/members';
import { noteCode } from '../calls/calls.ts';
import type { MemberHandlers } from '../calls/operation-routes.ts';
import { answerLong, changeInTurn } from '../calls/turns.ts';
import { BUSINESS_EXCEPTION } from '../failures.ts';
import type { ServerOptions } from '../options.ts';

/** Calls about an enterprise take its turns, whatever application makes them. */
const partyOf = ({ enterpriseId }: Actor) => `enterprise ${enterpriseId}`;

/** Handlers of M2 to M10 and the audit log: the employees of an enterprise, and its assets (rules 8). */
export function memberHandlers(options: ServerOptions) {
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

    deleteEmployee: async (request, actor) => {
      await changeInTurn(options, partyOf(actor), request, (db) =>
        deleteEmployee(db, actor, request.params.memberGlobalId),
      );
      return success(null);
    },

    listEmployees: async (request, actor) => success(await listEmployees(request.db, actor, request.query)),

    readAudit: async (request, actor) => success(await readAudit(request.db, actor, request.query)),

    listEnterpriseAssets: async (request, actor) => success(await listAssets(request.db, actor)),

    readAssetContents: async (request, actor, reply) => {
      return await answerLong(options, partyOf(actor), request, reply, async () => {
        const { products, merchandises } = await readAssetContents(request.db, actor, request.params.assetId);
        return JSON.stringify(success({ productInstanceList: products, children: merchandises }));
      });
    },

    listBorrowedLocks: async (request, actor) => success(await listBorrowedLocks(request.db, actor)),

    getSeats: async (request, actor, reply) => {
      const count = async () => JSON.stringify(success(await countSeats(request.db, actor)));
      return await answerLong(options, partyOf(actor), request, reply, count);
    },

    configureAssets: async (request, actor) => {
      await changeInTurn(options, partyOf(actor), request, (db) =>
        configureAssets(db, actor, request.params.memberGlobalId, request.body),
      );
      return success(null);
    },

    lendAssets: async (request, actor) => {
      await changeInTurn(options, partyOf(actor), request, (db) =>
        lendAssets(db, actor, request.params.memberGlobalId, request.body),
      );
      return success(null);
    },
  } satisfies MemberHandlers;
}

/** Handler of M1: adds employees, each alone (rules 8). */
export function additionHandlers({ passwords }: ServerOptions) {
  return {
    addEmployees: async (request, actor, reply) => {
      const named = readNewEmployees(request.body);
      const tools = { db: request.db, passwords, signal: request.deadline.signal };
      const { data, firstFailure } = await addEmployees(tools, actor, named);
      if (firstFailure === undefined) return success(data);
      const haveAllFailed = data.succeeded.length === 0;
      if (haveAllFailed) reply.code(BUSINESS_EXCEPTION);
      const refusal = haveAllFailed ? firstFailure : new Refusal('some_employees_failed', ...countEmployees(data));
      const body = failure(refusal, 'member');
      noteCode(request, body.code, body.cause);
      return { ...body, data };
    },
  } satisfies MemberHandlers;
}

function countEmployees({ succeeded, failed }: AddedEmployees): [failed: number, all: number] {
  return [failed.length, succeeded.length + failed.length];
}
