import { success } from '@lockstep/contract';
import { awaitEvents } from '@lockstep/orders';
import type { OrderHandlers } from '../calls/operation-routes.ts';
import type { ServerOptions } from '../options.ts';

/** The event feed (rules 6.8). */
export function eventHandlers({ eventWatch }: ServerOptions) {
  return {
    getEvents: async (request, { applicationId }, reply) => {
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      return success(await awaitEvents(request.db, eventWatch, applicationId, request.query, gone.signal));
    },
  } satisfies OrderHandlers;
}
