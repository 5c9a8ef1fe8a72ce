import { success } from '@lockstep/contract';
import { noteSubject } from '../calls.ts';
import type { OrderHandlers } from '../operation-routes.ts';
import type { ServerOptions } from '../server-options.ts';

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
