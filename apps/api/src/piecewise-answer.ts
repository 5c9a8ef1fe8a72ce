import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Deadline } from '@lockstep/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { waitUntilTaken } from './slow-readers.ts';

/**
 * Answers a call with JSON whose pieces are made one by one, each when the client has taken the one before. The first is made
 * before the answer begins, so that a call that cannot be carried out is refused.
 */
export async function answerInPieces(
  answer: AsyncGenerator<string, undefined>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Readable> {
  const first = await answer.next();
  reply.type('application/json; charset=utf-8');
  return Readable.from(readOn(first, answer, request.deadline, reply.raw), { objectMode: false });
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
