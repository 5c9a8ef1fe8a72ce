import { success } from '@lockstep/contract';
import { awaitBatchResult, readOrderResult } from '@lockstep/orders';
import { noteSubject } from '../calls.ts';
import { deadlineOf } from '../deadlines.ts';
import type { OrderHandlers } from '../order-handlers.ts';
import { readsOf } from '../reads.ts';
import type { ServerOptions } from '../server-options.ts';

/** The results of batches and of orders (rules 6.4). */
export function resultHandlers({ results, watch, ...servers }: ServerOptions) {
  return {
    getBatchResult: async (request, caller, reply) => {
      const { channelCode, channelOrderId } = request.query;
      noteSubject(request, { channelCode, channelOrderId });
      reply.type('application/json; charset=utf-8');
      return await awaitBatchResult(results, watch, caller, request.query, deadlineOf(request));
    },

    getOrderResult: async (request, { applicationId, position }) => {
      const { licenseOrderId } = request.params;
      noteSubject(request, { licenseOrderIds: [licenseOrderId] });
      const read = readsOf(request, position, servers);
      return success(await read((db) => readOrderResult(db, applicationId, licenseOrderId)));
    },
  } satisfies OrderHandlers;
}
