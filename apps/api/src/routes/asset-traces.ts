import { readAssetHistory, showAsset } from '@lockstep/assets';
import { success } from '@lockstep/contract';
import { deadlineOf } from '../deadlines.ts';
import type { OrderHandlers } from '../order-handlers.ts';
import { readsOf } from '../reads.ts';
import type { ServerOptions } from '../server-options.ts';

/** One asset by its number, and what happened to it (rules 6.7). */
export function assetTraceHandlers({ numberSearches, ...servers }: ServerOptions) {
  return {
    getAsset: async (request, { channels, position }) => {
      const read = readsOf(request, position, servers);
      return success(await read((db) => showAsset(db, channels, request.params.assetNum)));
    },

    getAssetHistory: async (request, viewer) => {
      const { params, query } = request;
      const owner = { kind: 'history', party: viewer.applicationId };
      const read = readsOf(request, viewer.position, servers);
      const readHistory = () => read((db) => readAssetHistory(db, viewer, params.assetNum, query));
      return success(await numberSearches.run(owner, deadlineOf(request).signal, readHistory));
    },
  } satisfies OrderHandlers;
}
