import { type FailedOrders, success } from '@lockstep/contract';
import { noteSubject } from '../calls/calls.ts';
import type { OrderHandlers } from '../calls/operation-routes.ts';
import { answerInPieces } from '../connections/slow-readers.ts';
import type { ServerOptions } from '../options.ts';

/** The failed orders of batches, as they were sent (rules 6.7). */
export function failedOrderHandlers({ failedBatches }: ServerOptions) {
  return {
    getFailedOrders: async (request, { applicationId }, reply) => {
      const { channelCode, channelOrderId } = request.query;
      noteSubject(request, { channelCode, channelOrderId });
      const { syncMode, pieces } = await failedBatches.open(
        request.db,
        applicationId,
        request.query,
        request.deadline.signal,
      );
      return await answerInPieces(writeAnswer({ channelCode, syncMode, orderList: [] }, pieces), request, reply);
    },
  } satisfies OrderHandlers;
}

/** Writes the envelope with the orders in their place: the last list of the answer. */
async function* writeAnswer(data: FailedOrders, orders: AsyncIterable<string>): AsyncGenerator<string, string> {
  const [start, end] = [JSON.stringify(success(data)).slice(0, -']}}'.length), ']}}'];
  let before = start;
  for await (const piece of orders) {
    yield before + piece;
    before = '';
  }
  return before + end;
}
