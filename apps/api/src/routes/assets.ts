import type { Caller } from '@lockstep/access';
import { listVirtualAssets, setLocked, takeAssetNumbers } from '@lockstep/assets';
import { type ChangeLocks, success } from '@lockstep/contract';
import type { FastifyRequest } from 'fastify';
import type { OrderHandlers } from '../operation-routes.ts';
import type { ServerOptions } from '../server-options.ts';

/** O6 to O9: locks, virtual assets and asset numbers (rules 7). */
export function assetHandlers({ log, region, lockChanges }: ServerOptions) {
  const change = (request: FastifyRequest, { applicationId, channels }: Caller, body: ChangeLocks, locked: boolean) => {
    const requestId = request.id;
    const tools = { changes: lockChanges, deadline: request.deadline, log: log.child({ requestId }) };
    return setLocked(tools, { ...body, locked, applicationId, channels, requestId });
  };

  return {
    lockAssets: async (request, caller) => success(await change(request, caller, request.body, true)),

    unlockAssets: async (request, caller) => success(await change(request, caller, request.body, false)),

    listVirtualAssets: async (request, { channels }) => {
      const { enterpriseGlobalId: enterpriseId } = request.params;
      const of = { enterpriseId, extendCode: request.query.extendCode };
      return success(await listVirtualAssets(request.db, channels, of));
    },

    takeAssetNumbers: async (request) => success(await takeAssetNumbers(request.db, region, request.body.size)),
  } satisfies OrderHandlers;
}
