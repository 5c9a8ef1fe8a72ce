import { success } from '@lockstep/contract';
import { noteSubject } from '../calls/calls.ts';
import type { OrderHandlers } from '../calls/operation-routes.ts';
import type { ServerOptions } from '../options.ts';

/** Cancels what is still pending of a batch (rules 6.6). */
export function cancelHandlers({ canceller }: ServerOptions) {
  return {
    cancelBatchOrder: async (request, { applicationId }) => {
      const { channelCode, channelOrderId } = request.body;
      noteSubject(request, { channelCode, channelOrderId });
      return success(await canceller.cancel(applicationId, request.body));
    },
  } satisfies OrderHandlers;
}
