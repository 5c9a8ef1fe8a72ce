import { success } from '@lockstep/contract';
import { listBatches, listOrders } from '@lockstep/orders';
import { noteSubject } from '../calls/calls.ts';
import type { OrderHandlers } from '../calls/operation-routes.ts';
import type { ServerOptions } from '../options.ts';

/** The lists of batches and of orders (rules 6.7). */
export function listHandlers({ numberSearches }: ServerOptions) {
  return {
    listBatches: async (request, caller) => {
      noteSubject(request, { channelCode: request.query.channelCode });
      return success(await listBatches(request.db, caller, request.query));
    },

    listOrders: async (request, caller) => {
      noteSubject(request, { channelCode: request.query.channelCode });
      const list = () => listOrders(request.db, caller, request.query);
      if (request.query.assetNum === undefined) return success(await list());
      const owner = { kind: 'orders of a number', party: caller.applicationId };
      return success(await numberSearches.run(owner, request.deadline.signal, list));
    },
  } satisfies OrderHandlers;
}
