import { readAssetHistory, showAsset } from '@lockstep/assets';
import { success } from '@lockstep/contract';
import type { OrderHandlers } from '../operation-routes.ts';
import type { ServerOptions } from '../server-options.ts';

/** One asset by its number, and what happened to it (rules 6.7). */
export function assetTraceHandlers({ numberSearches }: ServerOptions) {
  return {
    getAsset: async (request, { channels }) => success(await showAsset(request.db, channels, request.params.assetNum)),

    getAssetHistory: async (request, viewer) => {
      const { params, query } = request;
      const owner = { kind: 'history', party: viewer.applicationId };
      const readHistory = () => readAssetHistory(request.db, viewer, params.assetNum, query);
      return success(await numberSearches.run(owner, request.deadline.signal, readHistory));
    },
  } satisfies OrderHandlers;
}
