import type { Caller } from '@lockstep/access';
import { listVirtualAssets, readAssetHistory, setLocked, showAsset, takeAssetNumbers } from '@lockstep/assets';
import { type ChangeLocks, done, success } from '@lockstep/contract';
import { bindCustomer, createEnterprise, queryCustomers, updateCustomer } from '@lockstep/customers';
import type { FastifyRequest } from 'fastify';
import type { OrderHandlers } from '../calls/operation-routes.ts';
import { answerLong, changeInTurn } from '../calls/turns.ts';
import type { ServerOptions } from '../options.ts';

/** Handlers of O6 to O9: locks, virtual assets and asset numbers (rules 7). */
export function assetHandlers(options: ServerOptions) {
  const { log, region } = options;
  const change = (request: FastifyRequest, { applicationId, channels }: Caller, body: ChangeLocks, locked: boolean) => {
    const requestId = request.id;
    return changeInTurn(options, applicationId, request, (db) =>
      setLocked(db, log.child({ requestId }), { ...body, locked, applicationId, channels, requestId }),
    );
  };

  return {
    lockAssets: async (request, caller) => success(await change(request, caller, request.body, true)),

    unlockAssets: async (request, caller) => success(await change(request, caller, request.body, false)),

    listVirtualAssets: async (request, { channels, applicationId }, reply) => {
      const of = { enterpriseId: request.params.enterpriseGlobalId, extendCode: request.query.extendCode };
      const list = async () => JSON.stringify(success(await listVirtualAssets(request.db, channels, of)));
      return await answerLong(options, applicationId, request, reply, list);
    },

    takeAssetNumbers: async (request) => success(await takeAssetNumbers(request.db, region, request.body.size)),
  } satisfies OrderHandlers;
}

/** Handlers for one asset by number, and its history (rules 6.7). */
export function assetTraceHandlers(options: ServerOptions) {
  return {
    getAsset: async (request, { channels, applicationId }, reply) => {
      const show = async () => JSON.stringify(success(await showAsset(request.db, channels, request.params.assetNum)));
      return await answerLong(options, applicationId, request, reply, show);
    },

    getAssetHistory: async (request, viewer) => {
      const { params, query } = request;
      const readHistory = () => readAssetHistory(request.db, viewer, params.assetNum, query);
      return success(await options.reads.run(viewer.applicationId, request.deadline.signal, readHistory));
    },
  } satisfies OrderHandlers;
}

/** Handlers of O1 to O4: customers and enterprise main accounts (rules 5). */
export const customerHandlers = {
  bindCustomer: async (request, caller) => success(await bindCustomer(request.db, caller, request.body)),

  createEnterprise: async (request, caller) => success(await createEnterprise(request.db, caller, request.body)),

  updateCustomer: async (request, { channels }) => {
    await updateCustomer(request.db, channels, request.body);
    return done;
  },

  queryCustomers: async (request, { channels }) => success(await queryCustomers(request.db, channels, request.query)),
} satisfies OrderHandlers;
