import type { Caller } from '@lockstep/access';
import {
  changeLocks,
  listAssets,
  listVirtualAssets,
  readAssetHistory,
  showAsset,
  showEntry,
  takeAssetNumbers,
} from '@lockstep/assets';
import { type ChangeLocks, done, type LockAction, Refusal, success } from '@lockstep/contract';
import { bindCustomer, createEnterprise, listCustomers, queryCustomers, updateCustomer } from '@lockstep/customers';
import type { FastifyRequest } from 'fastify';
import type { OrderHandlers } from '../calls/operation-routes.ts';
import { answerLong, changeInTurn } from '../calls/turns.ts';
import type { ServerOptions } from '../options.ts';

/** Handlers of O6 to O9, locks, virtual assets and numbers (rules 7), and for an asset and its history (rules 6.7). */
export function assetHandlers(options: ServerOptions) {
  const { log, region } = options;
  const change = (
    request: FastifyRequest,
    { applicationId, channels }: Caller,
    body: ChangeLocks,
    action: LockAction,
  ) => {
    const requestId = request.id;
    return changeInTurn(options, applicationId, request, (db) =>
      changeLocks(db, log.child({ requestId }), { ...body, action, applicationId, channels, requestId }),
    );
  };

  return {
    lockAssets: async (request, caller) => success(await change(request, caller, request.body, 'locked')),

    unlockAssets: async (request, caller) => success(await change(request, caller, request.body, 'unlocked')),

    freezeAssets: async (request, caller) => success(await change(request, caller, request.body, 'frozen')),

    unfreezeAssets: async (request, caller) => success(await change(request, caller, request.body, 'unfrozen')),

    listVirtualAssets: async (request, caller, reply) => {
      const of = { enterpriseId: request.params.enterpriseGlobalId, ...request.query };
      const list = async () => JSON.stringify(success(await listVirtualAssets(request.db, caller, of)));
      return await answerLong(options, caller.applicationId, request, reply, list);
    },

    takeAssetNumbers: async (request) => success(await takeAssetNumbers(request.db, region, request.body.size)),

    listAssets: async (request, viewer) => {
      const list = () => listAssets(request.db, viewer, request.query);
      return success(await options.reads.run(viewer.applicationId, request.deadline.signal, list));
    },

    listCustomers: async (request, viewer) => {
      const list = () => listCustomers(request.db, viewer, request.query);
      return success(await options.reads.run(viewer.applicationId, request.deadline.signal, list));
    },

    getAsset: async (request, caller, reply) => {
      const show = async () => JSON.stringify(success(await showAsset(request.db, caller, request.params.assetNum)));
      return await answerLong(options, caller.applicationId, request, reply, show);
    },

    getAssetHistory: async (request, viewer) => {
      const { params, query } = request;
      const readHistory = () => readAssetHistory(request.db, viewer, params.assetNum, query, showEntry);
      const history = await options.reads.run(viewer.applicationId, request.deadline.signal, readHistory);
      if (history === null) throw new Refusal('asset_not_found', params.assetNum, 'ever');
      return success(history);
    },
  } satisfies OrderHandlers;
}

/** Handlers of O1 to O4: customers and enterprise main accounts (rules 5). */
export const customerHandlers = {
  bindCustomer: async (request, caller) => success(await bindCustomer(request.db, caller, request.body)),

  createEnterprise: async (request, caller) => success(await createEnterprise(request.db, caller, request.body)),

  updateCustomer: async (request, caller) => {
    await updateCustomer(request.db, caller, request.body);
    return done;
  },

  queryCustomers: async (request, caller) => success(await queryCustomers(request.db, caller, request.query)),
} satisfies OrderHandlers;
