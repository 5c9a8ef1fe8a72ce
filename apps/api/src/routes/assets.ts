import type { Caller } from '@lockstep/access';
import { setLocked, takeAssetNumbers } from '@lockstep/assets';
import { type ChangeLocks, success } from '@lockstep/contract';
import type { FastifyRequest } from 'fastify';
import type { OrderHandlers } from '../calls/operation-routes.ts';
import { writeJsonPieces } from '../connections/json-pieces.ts';
import { answerInPieces } from '../connections/slow-readers.ts';
import type { ServerOptions } from '../options.ts';

/** O6 to O9: locks, virtual assets and asset numbers (rules 7). */
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
