import { success } from '@lockstep/contract';
import { awaitBatchResult, readOrderResult } from '@lockstep/orders';
import { noteSubject } from '../calls.ts';
import { limitToCall } from '../deadlines.ts';
import type { OrderHandlers } from '../order-handlers.ts';
import type { ServerOptions } from '../server-options.ts';

/** The results of batches and of orders (rules 6.4). */
export function resultHandlers({ db, watch }: ServerOptions) {
  return {
    getBatchResult: async (request, { applicationId }, reply) => {
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      const { channelCode, channelOrderId } = request.query;
      noteSubject(request, { channelCode, channelOrderId });
      return success(
        await awaitBatchResult(limitToCall(request, db), watch, applicationId, request.query, gone.signal),
      );
    },

    getOrderResult: async (request, { applicationId }) => {
      const { licenseOrderId } = request.params;
      noteSubject(request, { licenseOrderIds: [licenseOrderId] });
      return success(await readOrderResult(limitToCall(request, db), applicationId, licenseOrderId));
    },
  } satisfies OrderHandlers;
}
