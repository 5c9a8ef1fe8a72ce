import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { type FailedOrders, success } from '@lockstep/contract';
import type { Deadline } from '@lockstep/platform';
import { noteSubject } from '../calls.ts';
import { deadlineOf, limitToCall } from '../deadlines.ts';
import type { OrderHandlers } from '../order-handlers.ts';
import type { ServerOptions } from '../server-options.ts';
import { waitUntilTaken } from '../slow-readers.ts';

/** The failed orders of batches, as they were sent (rules 6.7). */
export function failedOrderHandlers({ db, failedBatches }: ServerOptions) {
  return {
    getFailedOrders: async (request, { applicationId }, reply) => {
      const { channelCode, channelOrderId } = request.query;
      noteSubject(request, { channelCode, channelOrderId });
      const deadline = deadlineOf(request);
      const { syncMode, pieces } = await failedBatches.open(
        limitToCall(request, db),
        applicationId,
        request.query,
        deadline.signal,
      );
      const answer = writeAnswer({ channelCode, syncMode, orderList: [] }, pieces);
      // Before the answer begins, so that a call that cannot be carried out is refused.
      const first = await answer.next();
      reply.type('application/json; charset=utf-8');
      return Readable.from(readOn(first, answer, deadline, reply.raw), { objectMode: false });
    },
  } satisfies OrderHandlers;
}

/** Writes the envelope with the orders in their place: the last list of the answer. */
async function* writeAnswer(data: FailedOrders, orders: AsyncIterable<string>): AsyncGenerator<string, undefined> {
  const [start, end] = [JSON.stringify(success(data)).slice(0, -']}}'.length), ']}}'];
  let before = start;
  for await (const piece of orders) {
    yield before + piece;
    before = '';
  }
  yield before + end;
}

/**
 * Goes on with an answer after its first piece. A stream would ask for one more while the client reads the one before.
 * The deadline of the call stands still while its client reads.
 */
async function* readOn(
  first: IteratorResult<string, undefined>,
  answer: AsyncGenerator<string, undefined>,
  deadline: Deadline,
  response: ServerResponse,
): AsyncGenerator<string> {
  for (let piece = first; !piece.done; piece = await answer.next()) {
    deadline.pause();
    yield piece.value;
    await waitUntilTaken(response, piece.value.length);
    deadline.resume();
  }
}
