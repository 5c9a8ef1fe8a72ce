import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Deadline } from '@lockstep/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ReadingTime } from './slow-readers.ts';

/**
 * Answers a call with JSON whose pieces are made one by one, each when the client has taken the one before. The
 * generator yields all but the last, and returns that. The first is made before the answer begins, so that a call that
 * cannot be carried out is refused; an answer of one piece is sent as a whole.
 */
export async function answerInPieces(
  answer: AsyncGenerator<string, string>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Readable | string> {
  const first = await answer.next();
  reply.type('application/json; charset=utf-8');
  if (first.done === true) return first.value;
  return Readable.from(readOn(first.value, answer, request.deadline, reply.raw), { objectMode: false });
}

/**
 * Goes on with an answer after its first piece. A stream would ask for one more while the client reads the one before.
 * The deadline of the call stands still while its client reads, who has a time of its own for that.
 */
async function* readOn(
  first: string,
  answer: AsyncGenerator<string, string>,
  deadline: Deadline,
  response: ServerResponse,
): AsyncGenerator<string> {
  const readingTime = new ReadingTime(response);
  for (let piece: IteratorResult<string, string> = { value: first }; ; piece = await answer.next()) {
    deadline.pause();
    yield piece.value;
    if (piece.done === true) return;
    await readingTime.untilTaken(piece.value.length);
    deadline.resume();
  }
}
