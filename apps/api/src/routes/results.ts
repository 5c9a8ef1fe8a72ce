import { success } from '@lockstep/contract';
import { awaitBatchResult, readOrderResult } from '@lockstep/orders';
import { noteSubject } from '../calls/calls.ts';
import type { OrderHandlers } from '../calls/operation-routes.ts';
import type { ServerOptions } from '../options.ts';

/** The results of batches and of orders (rules 6.4). */
export function resultHandlers({ results, watch }: ServerOptions) {
  return {
    getBatchResult: async (request, { applicationId }, reply) => {
      const { channelCode, channelOrderId } = request.query;
      noteSubject(request, { channelCode, channelOrderId });
      reply.type('application/json; charset=utf-8');
      return await awaitBatchResult(results, watch, applicationId, request.query, request.deadline);
    },

    getOrderResult: async (request, caller) => {
      const { licenseOrderId } = request.params;
      noteSubject(request, { licenseOrderIds: [licenseOrderId] });
      return success(await readOrderResult(request.db, caller, licenseOrderId));
    },
  } satisfies OrderHandlers;
}
