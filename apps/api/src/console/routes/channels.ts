import { type Operator, recordPaused, recordResumed } from '@lockstep/operators';
import { findChannel, pauseChannel, pickChannels, resumeChannel } from '@lockstep/orders';
import { ListCursor, within } from '@lockstep/platform';
import type { FastifyRequest } from 'fastify';
import type { Services } from '../../services.ts';
import { type ConsoleHandlers, existing } from '../operations.ts';
import { readPauses } from '../traces.ts';

/** Handlers for channels: their backlog, and pausing them. */
export function channelsHandlers({ channels, db }: Services) {
  return {
    listChannels: async (request, operator) => {
      const { limit, cursor, search, state } = request.query;
      const places = new ListCursor(['console', 'channels', { search, state }], cursor);
      const after = places.after?.[0] ?? null;
      const { channels: page, stop } = pickChannels(await channels.read(operator), { search, state }, { after, limit });
      return { channels: page, nextCursor: places.write(stop === null ? null : [stop]) };
    },

    getChannel: async (request, operator) => {
      const { channelCode } = request.params;
      const found = await findChannel(request.db, await channels.read(operator), channelCode);
      const [pause = null] = await readPauses(request.db, operator, { codes: [channelCode] });
      return { ...existing('channel', channelCode, found), pause };
    },

    pauseChannel: async (request, operator) => {
      const code = codeOf(request, operator);
      const { reason } = request.body;
      // Pausing can wait for lanes longer than calls on shared connections wait for a lock.
      const patient = within(db, request.deadline);
      const paused = await pauseChannel(patient, code, (trx) => recordPaused(trx, operator, { code, reason }));
      return existing('channel', code, paused);
    },

    resumeChannel: async (request, operator) => {
      const code = codeOf(request, operator);
      const resumed = await resumeChannel(request.db, code, (trx) => recordResumed(trx, operator, code));
      return existing('channel', code, resumed);
    },
  } satisfies ConsoleHandlers;
}

/** Returns the code in a call that changes a channel. Throws a ConsoleRefusal: not_found. */
function codeOf({ params: { channelCode } }: FastifyRequest<{ Params: { channelCode: string } }>, operator: Operator) {
  return existing('channel', channelCode, operator.channels?.includes(channelCode) === false ? null : channelCode);
}
