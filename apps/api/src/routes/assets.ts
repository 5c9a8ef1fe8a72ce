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
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OrderHandlers } from '../calls/operation-routes.ts';
import { answerLong, changeInTurn } from '../calls/turns.ts';
import type { Services } from '../services.ts';

/** Handlers of O6 to O9, locks, virtual assets and numbers (rules 7), and for an asset and its history (rules 6.7). */
export function assetHandlers(options: Services) {
  const { log, region } = options;
  const read = <Result>({ deadline }: FastifyRequest, { applicationId }: Caller, work: () => Promise<Result>) =>
    options.reads.run(applicationId, deadline.signal, work);
  const readLong = (request: FastifyRequest, caller: Caller, reply: FastifyReply, work: () => Promise<unknown>) =>
    answerLong(options, caller.applicationId, request, reply, async () => JSON.stringify(success(await work())));
  const change =
    (action: LockAction) =>
    async (request: FastifyRequest<{ Body: ChangeLocks }>, { applicationId, channels }: Caller) => {
      const { id: requestId, body } = request;
      const changed = await changeInTurn(options, applicationId, request, (db) =>
        changeLocks(db, log.child({ requestId }), { ...body, action, applicationId, channels, requestId }),
      );
      return success(changed);
    };

  return {
    lockAssets: change('locked'),
    unlockAssets: change('unlocked'),
    freezeAssets: change('frozen'),
    unfreezeAssets: change('unfrozen'),

    listVirtualAssets: (request, caller, reply) => {
      const of = { enterpriseId: request.params.enterpriseGlobalId, ...request.query };
      return readLong(request, caller, reply, () => listVirtualAssets(request.db, caller, of));
    },

    takeAssetNumbers: async (request) => success(await takeAssetNumbers(request.db, region, request.body.size)),

    listAssets: async (request, caller) =>
      success(await read(request, caller, () => listAssets(request.db, caller, request.query))),

    listCustomers: async (request, caller) =>
      success(await read(request, caller, () => listCustomers(request.db, caller, request.query))),

    getAsset: (request, caller, reply) =>
      readLong(request, caller, reply, () => showAsset(request.db, caller, request.params.assetNum)),

    getAssetHistory: async (request, caller) => {
      const { db, params, query } = request;
      const history = await read(request, caller, () =>
        readAssetHistory(db, caller, params.assetNum, query, showEntry),
      );
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
