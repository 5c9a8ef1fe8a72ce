import type { Readable } from 'node:stream';
import { FORM_TYPE, MAX_BODY_BYTES, Refusal, readJson } from '@lockstep/contract';
import { parse as parseForm } from 'fast-querystring';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { onCallDecided } from '../calls/calls.ts';
import { BodyMemory, type BodyReservation } from './body-memory.ts';
import { allocateLarge } from './large-bytes.ts';

const JSON_TYPE = 'application/json';
/** How long bodies can still arrive once the process stops. The rest of the shutdown time is for their answers. */
const STOPPING_MS = 15_000;
const STRANGERS = 'strangers';

/** Returns the application to whose share the body of a call counts. */
type FindApplicationId = (request: FastifyRequest) => string;

/** Reads the bodies of calls, within the body memory of the process. */
export class Bodies {
  readonly #memory = new BodyMemory();
  #endMs = Number.POSITIVE_INFINITY;

  /** From now on, refuses bodies that take too long, so that the process can stop (rules 9). */
  close(): void {
    this.#endMs = performance.now() + STOPPING_MS;
  }

  /** Makes a plugin read bodies as JSON only (rules 1). */
  readJson(server: FastifyInstance, findApplicationId: FindApplicationId): void {
    this.#accept(server, JSON_TYPE, findApplicationId, (bytes) => readJson(bytes));
  }

  /** Makes a plugin leave JSON bodies as bytes, for handlers that parse them on a thread. */
  readBytes(server: FastifyInstance, findApplicationId: FindApplicationId): void {
    this.#accept(server, JSON_TYPE, findApplicationId, (bytes) => bytes);
  }

  /**
   * Makes a plugin read bodies as forms only. Their senders are not authenticated yet and share the memory of one
   * application.
   */
  readForms(server: FastifyInstance): void {
    this.#accept(
      server,
      FORM_TYPE,
      () => STRANGERS,
      (bytes) => parseForm(bytes.toString('utf8')),
    );
  }

  #accept(
    server: FastifyInstance,
    type: string,
    findApplicationId: FindApplicationId,
    read: (bytes: Buffer) => unknown,
  ): void {
    server.removeAllContentTypeParsers();
    server.addContentTypeParser(type, async (request: FastifyRequest, stream: Readable) =>
      read(await this.#receive(request, stream, findApplicationId(request))),
    );
    // An empty body is none, whatever its type.
    server.addContentTypeParser('*', async (request: FastifyRequest, stream: Readable) => {
      await this.#receive(request, stream, findApplicationId(request), 0).catch((error: unknown) => {
        const isLarge = error instanceof Refusal && error.reason === 'body_too_large';
        throw isLarge ? new Refusal('content_type_unsupported', type) : error;
      });
    });
  }

  /**
   * The bytes count against body memory until the call is answered. The deadline of the call stops while its body
   * arrives.
   */
  async #receive(
    request: FastifyRequest,
    stream: Readable,
    applicationId: string,
    maxBytes = request.routeOptions.bodyLimit ?? MAX_BODY_BYTES,
  ): Promise<Buffer> {
    const { deadline } = request;
    const reservation = this.#memory.begin(applicationId);
    onCallDecided(request, () => reservation.release());
    const declared = request.headers['content-length'];
    deadline.pause();
    return await receiveBody(stream, {
      reservation,
      maxBytes,
      declaredBytes: declared === undefined ? undefined : Number(declared),
      endMs: () => this.#endMs,
    }).finally(() => deadline.resume());
  }
}

/** How long a body can take to arrive: a grace period, plus time for each byte received. */
const GRACE_MS = 10_000;
const MIN_BYTES_PER_SECOND = 256 * 1024;
const LOOK_EVERY_MS = 1_000;

/** A body of this size or more gets memory of its own. */
const LARGE_BYTES = 256 * 1024;

/** The limits of a body. */
interface BodyTerms {
  reservation: BodyReservation;
  maxBytes: number;
  declaredBytes: number | undefined;
  /**
   * Returns the time, by `performance.now()`, at which the process stops waiting. It can change while the body arrives.
   */
  endMs: () => number;
}

/** The client disconnected before its whole body arrived, so there is nothing to answer. */
export class ClientLeft extends Error {
  constructor() {
    super('The client disconnected before its body arrived');
    this.name = 'ClientLeft';
  }
}

/**
 * Receives a body as fast as body memory allows. Time spent waiting for memory does not count against the client.
 *
 * Rejects with a Refusal: body_too_large, overloaded, request_timeout, service_unavailable, or the one that the stream
 * fails with; or with ClientLeft. The rest of the body is then read and dropped, so that the client can read its
 * answer.
 */
export function receiveBody(
  stream: Readable,
  { reservation, maxBytes, declaredBytes, endMs }: BodyTerms,
): Promise<Buffer> {
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
      // Without a listener, the error of a disconnecting client would end the process.
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
        const memory = reservation.take(chunk.length);
        if (memory === undefined) return;
        stream.pause();
        clock.stop();
        memory.then(() => {
          clock.resume();
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
    // A Refusal means that the body is not HTTP, and the client is still connected.
    const onGone = (error?: unknown) => fail(error instanceof Refusal ? error : new ClientLeft());
    const onError = (error: Error) => (error instanceof Refusal ? fail(error) : onGone());
    stream.on('data', onData).on('end', onEnd).on('error', onError).on('close', onGone);
  });
}

/** The received bytes of a body. If the length is declared, they are not copied again. */
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

/** Measures time, except while stopped. */
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

  resume(): void {
    this.#sinceMs ??= performance.now();
  }
}
