import type { Readable } from 'node:stream';
import { Refusal } from '@lockstep/contract';
import type { BodyPlace } from './body-room.ts';

/** What a body may take to arrive: so long for any, and longer by what has come of it. */
const LIMITS = { graceMs: 10_000, minBytesPerSecond: 256 * 1024, lookEveryMs: 1_000 };
export type ArrivalLimits = typeof LIMITS;

/** That the client has left before its body was there. Nobody is there to be answered. */
export class ClientLeft extends Error {
  constructor() {
    super('The client left before its body was there');
    this.name = 'ClientLeft';
  }
}

/**
 * Reads a body as it comes, and no faster than there is room for it. The time that it waits for room does not count as the
 * client's.
 *
 * Rejects with a Refusal: body_too_large, overloaded, request_timeout, or the one that the stream fails with; or with
 * ClientLeft. Then what is still to come of the body is read and dropped, so that the client gets to its answer.
 */
export function receiveBody(
  stream: Readable,
  { place, maxBytes, declaredBytes }: { place: BodyPlace; maxBytes: number; declaredBytes: number | undefined },
  limits: ArrivalLimits = LIMITS,
): Promise<Buffer> {
  if (declaredBytes !== undefined && declaredBytes > maxBytes) {
    return Promise.reject(new Refusal('body_too_large', maxBytes));
  }
  if (stream.destroyed) return Promise.reject(new ClientLeft());
  return new Promise((resolve, reject) => {
    const body = new Received(declaredBytes);
    const clock = new Stopwatch();
    const timer = setInterval(() => {
      const allowedMs = limits.graceMs + (1_000 * body.length) / limits.minBytesPerSecond;
      if (clock.elapsedMs() > allowedMs) fail(new Refusal('request_timeout'));
    }, limits.lookEveryMs);
    const settle = () => {
      clearInterval(timer);
      stream.off('data', onData).off('end', onEnd).off('error', onError).off('close', onGone);
      // Without a listener, an error of a client that leaves now would end the process.
      stream.on('error', () => {});
      stream.resume();
    };
    const fail = (error: unknown) => {
      settle();
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      if (body.length + chunk.length > maxBytes) return fail(new Refusal('body_too_large', maxBytes));
      body.add(chunk);
      try {
        const room = place.take(chunk.length);
        if (room === undefined) return;
        stream.pause();
        clock.stop();
        room.then(() => {
          clock.goOn();
          stream.resume();
        }, fail);
      } catch (error) {
        fail(error);
      }
    };
    const onEnd = () => {
      settle();
      resolve(body.bytes());
    };
    // A refusal says that what comes is not HTTP; its client is still there.
    const onGone = (error?: unknown) => fail(error instanceof Refusal ? error : new ClientLeft());
    // A refusal says that what comes is no HTTP any more.
    const onError = (error: Error) => (error instanceof Refusal ? fail(error) : onGone());
    stream.on('data', onData).on('end', onEnd).on('error', onError).on('close', onGone);
  });
}

/** The bytes of a body so far. Of one whose length is known it makes no second copy. */
class Received {
  length = 0;
  readonly #whole: Buffer | undefined;
  readonly #chunks: Buffer[] = [];

  constructor(declaredBytes: number | undefined) {
    // The memory is there when it is written to, not before.
    if (declaredBytes !== undefined) this.#whole = Buffer.allocUnsafeSlow(declaredBytes);
  }

  add(chunk: Buffer): void {
    if (this.#whole === undefined) this.#chunks.push(chunk);
    else chunk.copy(this.#whole, this.length);
    this.length += chunk.length;
  }

  bytes(): Buffer {
    return this.#whole ?? Buffer.concat(this.#chunks);
  }
}

/** Time that passes while it is not stopped. */
class Stopwatch {
  #beforeMs = 0;
  #sinceMs: number | undefined = performance.now();

  elapsedMs(): number {
    return this.#beforeMs + (this.#sinceMs === undefined ? 0 : performance.now() - this.#sinceMs);
  }

  stop(): void {
    this.#beforeMs = this.elapsedMs();
    this.#sinceMs = undefined;
  }

  goOn(): void {
    this.#sinceMs ??= performance.now();
  }
}
