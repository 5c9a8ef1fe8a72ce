import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Deadline } from '@lockstep/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** How long a client may take to read an answer: a grace time in all, and more for every byte. */
const GRACE_MS = 60_000;
const MIN_BYTES_PER_SECOND = 256 * 1024;

/** The time that a client has to read an answer, which is written in pieces. What the service takes does not count. */
export class ReadingTime {
  readonly #response: ServerResponse;
  #leftMs = GRACE_MS;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /**
   * Waits until the connection has taken all that was written to it, or is closed. What was written last had about so
   * many bytes. It closes the connection of a client that takes too long, so that it does not hold for ever what its
   * call holds.
   */
  async untilTaken(bytes: number): Promise<void> {
    this.#leftMs += (1_000 * bytes) / MIN_BYTES_PER_SECOND;
    const response = this.#response;
    if (!response.writableNeedDrain) return;
    const startedMs = performance.now();
    const { promise: taken, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => response.destroy(), this.#leftMs);
    response.once('drain', resolve).once('close', resolve);
    await taken;
    clearTimeout(timer);
    response.off('drain', resolve).off('close', resolve);
    this.#leftMs -= performance.now() - startedMs;
  }
}

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
