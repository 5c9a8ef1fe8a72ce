import { success } from '@lockstep/contract';
import { listBatches, listOrders } from '@lockstep/orders';
import { noteSubject } from '../calls.ts';
import { deadlineOf } from '../deadlines.ts';
import type { OrderHandlers } from '../order-handlers.ts';
import { readsOf } from '../reads.ts';
import type { ServerOptions } from '../server-options.ts';

/** The lists of batches and of orders (rules 6.7). */
export function listHandlers({ numberSearches, ...servers }: ServerOptions) {
  return {
    listBatches: async (request, caller) => {
      noteSubject(request, { channelCode: request.query.channelCode });
      const read = readsOf(request, caller.position, servers);
      return success(await read((db) => listBatches(db, caller, request.query)));
    },

    listOrders: async (request, caller) => {
      noteSubject(request, { channelCode: request.query.channelCode });
      const read = readsOf(request, caller.position, servers);
      const list = () => read((db) => listOrders(db, caller, request.query));
      if (request.query.assetNum === undefined) return success(await list());
      const owner = { kind: 'orders of a number', party: caller.applicationId };
      return success(await numberSearches.run(owner, deadlineOf(request).signal, list));
    },
  } satisfies OrderHandlers;
}
