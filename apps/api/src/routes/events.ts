import { success } from '@lockstep/contract';
import { awaitEvents } from '@lockstep/orders';
import type { OrderHandlers } from '../order-handlers.ts';
import { readsOf } from '../reads.ts';
import type { ServerOptions } from '../server-options.ts';

/** The event feed (rules 6.8). */
export function eventHandlers({ eventWatch, ...servers }: ServerOptions) {
  return {
    getEvents: async (request, { applicationId, position }, reply) => {
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      // What a call waits for is told by the primary, often before a standby shows it.
      const read = readsOf(request, request.query.waitSeconds === 0 ? position : null, servers);
      return success(await read((db) => awaitEvents(db, eventWatch, applicationId, request.query, gone.signal)));
    },
  } satisfies OrderHandlers;
}
