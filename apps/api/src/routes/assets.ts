import type { Caller } from '@lockstep/access';
import { readAssetHistory, setLocked, showAsset, takeAssetNumbers } from '@lockstep/assets';
import { type ChangeLocks, done, success } from '@lockstep/contract';
import { bindCustomer, createEnterprise, queryCustomers, updateCustomer } from '@lockstep/customers';
import type { FastifyRequest } from 'fastify';
import type { OrderHandlers } from '../calls/operation-routes.ts';
import { writeJsonPieces } from '../connections/json-pieces.ts';
import { answerInPieces } from '../connections/slow-readers.ts';
import type { ServerOptions } from '../options.ts';

/** Handlers of O6 to O9: locks, virtual assets and asset numbers (rules 7). */
export function assetHandlers({ log, region, lockChanges, virtualAssets }: ServerOptions) {
  const change = (request: FastifyRequest, { applicationId, channels }: Caller, body: ChangeLocks, locked: boolean) => {
    const requestId = request.id;
    const tools = { changes: lockChanges, deadline: request.deadline, log: log.child({ requestId }) };
    return setLocked(tools, { ...body, locked, applicationId, channels, requestId });
  };

  return {
    lockAssets: async (request, caller) => success(await change(request, caller, request.body, true)),

    unlockAssets: async (request, caller) => success(await change(request, caller, request.body, false)),

    listVirtualAssets: async (request, { channels, applicationId }, reply) => {
      const { db, deadline, params, query } = request;
      const of = { enterpriseId: params.enterpriseGlobalId, extendCode: query.extendCode };
      const call = { db, party: applicationId, signal: deadline.signal };
      const assets = await virtualAssets.open(call, channels, of);
      return await answerInPieces(writeJsonPieces(success(assets)), request, reply);
    },

    takeAssetNumbers: async (request) => success(await takeAssetNumbers(request.db, region, request.body.size)),
  } satisfies OrderHandlers;
}

/** Handlers for one asset by number, and its history (rules 6.7). */
export function assetTraceHandlers({ contents, numberSearches }: ServerOptions) {
  return {
    getAsset: async (request, { channels, applicationId }, reply) => {
      const { db, deadline, params } = request;
      const call = { db, kind: 'asset', party: applicationId, signal: deadline.signal };
      const asset = await showAsset(contents, call, channels, params.assetNum);
      return await answerInPieces(writeJsonPieces(success(asset)), request, reply);
    },

    getAssetHistory: async (request, viewer) => {
      const { params, query } = request;
      const owner = { kind: 'history', party: viewer.applicationId };
      const readHistory = () => readAssetHistory(request.db, viewer, params.assetNum, query);
      return success(await numberSearches.run(owner, request.deadline.signal, readHistory));
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
