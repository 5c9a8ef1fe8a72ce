import type { Readable } from 'node:stream';
import { FORM_TYPE, MAX_BODY_BYTES, Refusal, readJson } from '@lockstep/contract';
import { parse as parseForm } from 'fast-querystring';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { onCallDecided } from '../calls/calls.ts';
import { allocateLarge } from './large-bytes.ts';
import { type BodyPlace, BodyRoom } from './room.ts';

const JSON_TYPE = 'application/json';
/** How long bodies may still come once the process stops, so that the rest of its time is for their answers. */
const STOPPING_MS = 15_000;
const STRANGERS = 'strangers';

/** Returns the application whose share of the room the body of a call takes. */
type FindApplicationId = (request: FastifyRequest) => string;

/** Reads the bodies of calls, within the room that the process has for bodies. */
export class Bodies {
  readonly #room = new BodyRoom();
  #endMs = Number.POSITIVE_INFINITY;

  /** Refuses bodies that take much longer from now on, so that the process can stop (rules 9). */
  close(): void {
    this.#endMs = performance.now() + STOPPING_MS;
  }

  /** Has a plugin read bodies as JSON and as nothing else (rules 1). */
  readJson(server: FastifyInstance, findApplicationId: FindApplicationId): void {
    server.removeAllContentTypeParsers();
    server.addContentTypeParser(JSON_TYPE, async (request: FastifyRequest, stream: Readable) => {
      const bytes = await this.#receive(request, stream, findApplicationId(request));
      // M4 has no body, but a client may name its content type all the same.
      return request.method === 'DELETE' && bytes.length === 0 ? undefined : readJson(bytes);
    });
  }

  /** Has a plugin leave JSON bodies as bytes, for handlers that read them on a thread. */
  readBytes(server: FastifyInstance, findApplicationId: FindApplicationId): void {
    server.removeAllContentTypeParsers();
    server.addContentTypeParser(JSON_TYPE, (request: FastifyRequest, stream: Readable) =>
      this.#receive(request, stream, findApplicationId(request)),
    );
  }

  /**
   * Has a plugin read bodies as forms and as nothing else. They come from strangers, who share the room of one
   * application.
   */
  readForms(server: FastifyInstance): void {
    server.removeAllContentTypeParsers();
    server.addContentTypeParser(FORM_TYPE, async (request: FastifyRequest, stream: Readable) =>
      parseForm((await this.#receive(request, stream, STRANGERS)).toString('utf8')),
    );
  }

  /**
   * The bytes count against the room until the call's answer is decided. The clock of the call stands still: a body
   * takes as long as its sender takes.
   */
  async #receive(request: FastifyRequest, stream: Readable, applicationId: string): Promise<Buffer> {
    const { deadline } = request;
    const place = this.#room.begin(applicationId);
    onCallDecided(request, () => place.giveBack());
    const declared = request.headers['content-length'];
    deadline.pause();
    return await receiveBody(stream, {
      place,
      maxBytes: request.routeOptions.bodyLimit ?? MAX_BODY_BYTES,
      declaredBytes: declared === undefined ? undefined : Number(declared),
      endMs: () => this.#endMs,
    }).finally(() => deadline.resume());
  }
}

/** How long a body may take to arrive: a grace time for any, and more for every byte that has come. */
const GRACE_MS = 10_000;
const MIN_BYTES_PER_SECOND = 256 * 1024;
const LOOK_EVERY_MS = 1_000;

/** A body of this size or more has memory of its own. */
const LARGE_BYTES = 256 * 1024;

/** What a body may take. */
interface BodyTerms {
  place: BodyPlace;
  maxBytes: number;
  declaredBytes: number | undefined;
  /**
   * The time, as `performance.now()` has it, at which the process waits no longer. It may change while the body comes.
   */
  endMs: () => number;
}

/** The client left before its whole body had come. There is nobody to answer. */
export class ClientLeft extends Error {
  constructor() {
    super('The client left before its body was there');
    this.name = 'ClientLeft';
  }
}

/**
 * Receives a body, no faster than there is room for it. The time that it waits for room does not count against the
 * client.
 *
 * Rejects with a Refusal: body_too_large, overloaded, request_timeout, service_unavailable, or the one that the stream
 * fails with; or with ClientLeft. The rest of the body is then read and dropped, so that the client gets to its answer.
 */
export function receiveBody(stream: Readable, { place, maxBytes, declaredBytes, endMs }: BodyTerms): Promise<Buffer> {
  if (declaredBytes !== undefined && declaredBytes > maxBytes) {
    return Promise.reject(new Refusal('body_too_large', maxBytes));
  }
  if (stream.destroyed) return Promise.reject(new ClientLeft());
  return new Promise((resolve, reject) => {
    const body = new Received(declaredBytes);
    const clock = new Stopwatch();
    const timer = setInterval(() => {
      const allowedMs = GRACE_MS + (1_000 * body.length) / MIN_BYTES_PER_SECOND;
      if (clock.elapsedMs() > allowedMs) fail(new Refusal('request_timeout'));
      else if (performance.now() > endMs()) fail(new Refusal('service_unavailable'));
    }, LOOK_EVERY_MS);
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
    // A refusal means that the body is not HTTP; the client is still there.
    const onGone = (error?: unknown) => fail(error instanceof Refusal ? error : new ClientLeft());
    const onError = (error: Error) => (error instanceof Refusal ? fail(error) : onGone());
    stream.on('data', onData).on('end', onEnd).on('error', onError).on('close', onGone);
  });
}

/** The received bytes of a body. If the length is known, they are not copied a second time. */
class Received {
  length = 0;
  readonly #whole: Buffer | undefined;
  readonly #chunks: Buffer[] = [];

  constructor(declaredBytes: number | undefined) {
    if (declaredBytes === undefined) return;
    this.#whole = declaredBytes < LARGE_BYTES ? Buffer.allocUnsafeSlow(declaredBytes) : allocateLarge(declaredBytes);
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

/** Measures time, except while it is stopped. */
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
