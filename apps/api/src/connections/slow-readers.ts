import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Deadline } from '@lockstep/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** How long a client can take to read an answer: a grace period, plus time for each byte. */
const GRACE_MS = 60_000;
const MIN_BYTES_PER_SECOND = 256 * 1024;

/** Limits the time in which a client reads an answer in pieces. Time that the service takes does not count. */
export class ReadingTime {
  readonly #response: ServerResponse;
  #leftMs = GRACE_MS;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /**
   * Waits until the connection has accepted all that was written, or is closed. `bytes` is the approximate length of
   * the last piece. Closes the connection of a client that is too slow, to release what its call uses.
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
 * Answers a call with JSON in pieces, each created when the client has read the one before. The generator yields all
 * pieces but the last, which it returns. The first piece is created before the answer begins, so that the call can
 * still be refused. An answer of one piece is sent whole.
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
 * Continues an answer after its first piece. A stream would create one piece ahead. The deadline of the call stops
 * while the client reads, because reading has a limit of its own.
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
