import { readAssetHistory, showAsset } from '@lockstep/assets';
import { success } from '@lockstep/contract';
import type { OrderHandlers } from '../calls/operation-routes.ts';
import { writeJsonPieces } from '../connections/json-pieces.ts';
import { answerInPieces } from '../connections/slow-readers.ts';
import type { ServerOptions } from '../options.ts';

/** One asset by its number, and what happened to it (rules 6.7). */
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
