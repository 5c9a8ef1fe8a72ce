import type { FairQueue } from '@lockstep/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServerOptions } from '../options.ts';
import { onCallEnd } from './calls.ts';

/**
 * Answers with JSON that may be long. `read` creates it when the owner's turn comes, and it is in flight until the
 * client has read it.
 *
 * Throws what `read` throws; a Refusal if too much is in flight (overloaded); an Overload if the owner gets no turn.
 */
export function answerLong(
  { reads, inFlight }: Pick<ServerOptions, 'reads' | 'inFlight'>,
  owner: Parameters<FairQueue['run']>[0],
  request: FastifyRequest,
  reply: FastifyReply,
  read: () => Promise<string>,
): Promise<string> {
  return reads.run(owner, request.deadline.signal, async () => {
    const json = await read();
    const bytes = Buffer.byteLength(json);
    inFlight.take(owner.party, bytes);
    onCallEnd(request, () => inFlight.release(owner.party, bytes));
    reply.type('application/json; charset=utf-8');
    return json;
  });
}
