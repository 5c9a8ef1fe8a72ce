import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Caller } from '@lockstep/access';
import {
  type CustomerId,
  FORM_TYPE,
  MAX_BODY_BYTES,
  type Order,
  Refusal,
  readBatchOrder,
  readJson,
} from '@lockstep/contract';
import { CustomerChannels, type PreparedBatch, prepareBatch } from '@lockstep/orders';
import { FairQueue } from '@lockstep/platform';
import { parse as parseForm } from 'fast-querystring';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { onCallDecided } from './calls/calls.ts';

const JSON_TYPE = 'application/json';
/** How long bodies can still arrive once the process stops. The rest of the shutdown time is for their answers. */
const STOPPING_MS = 15_000;
const STRANGERS = 'strangers';

/** Returns the application to whose share the body of a call counts. */
type FindApplicationId = (request: FastifyRequest) => string;

/** Reads the bodies of calls, as far as the bytes in flight allow. */
export class Bodies {
  readonly #inFlight: BytesInFlight;
  #endMs = Number.POSITIVE_INFINITY;

  constructor(inFlight: BytesInFlight) {
    this.#inFlight = inFlight;
  }

  /** From now on, refuses bodies that take too long, so that the process can stop (rules 9). */
  close(): void {
    this.#endMs = performance.now() + STOPPING_MS;
  }

  /** Makes a plugin read bodies as JSON only (rules 1). */
  readJson(server: FastifyInstance, findApplicationId: FindApplicationId): void {
    this.#accept(server, JSON_TYPE, findApplicationId, (bytes) => readJson(bytes));
  }

  /** Makes a plugin leave JSON bodies as bytes, for handlers that parse them themselves. */
  readBytes(server: FastifyInstance, findApplicationId: FindApplicationId): void {
    this.#accept(server, JSON_TYPE, findApplicationId, (bytes) => bytes);
  }

  /**
   * Makes a plugin read bodies as forms only. Their senders are not authenticated yet and have the share of one
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
   * The bytes are in flight until the call is answered. The deadline of the call stops while its body arrives.
   */
  async #receive(
    request: FastifyRequest,
    stream: Readable,
    applicationId: string,
    maxBytes = request.routeOptions.bodyLimit ?? MAX_BODY_BYTES,
  ): Promise<Buffer> {
    const { deadline } = request;
    let taken = 0;
    const take = (bytes: number) => {
      this.#inFlight.take(applicationId, bytes);
      taken += bytes;
    };
    const declared = request.headers['content-length'];
    deadline.pause();
    try {
      return await receiveBody(stream, {
        take,
        maxBytes,
        declaredBytes: declared === undefined ? undefined : Number(declared),
        endMs: () => this.#endMs,
      });
    } finally {
      deadline.resume();
      onCallDecided(request, () => this.#inFlight.release(applicationId, taken));
    }
  }
}

/** How long a body can take to arrive: a grace period, plus time for each byte received. */
const GRACE_MS = 10_000;
const MIN_BYTES_PER_SECOND = 256 * 1024;
const LOOK_EVERY_MS = 1_000;

/** What is allocated for a body whose length is not declared, at first. */
const INITIAL_BYTES = 64 * 1024;

/** The limits of a body. */
interface BodyTerms {
  /** Called with the length of all that arrives. Throws a Refusal if it does not fit: overloaded. */
  take: (bytes: number) => void;
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
 * Receives a body.
 *
 * Rejects with a Refusal: body_too_large, overloaded, request_timeout, service_unavailable, or the one that the stream
 * fails with; or with ClientLeft. The rest of the body is then read and dropped, so that the client can read its
 * answer.
 */
export function receiveBody(stream: Readable, { take, maxBytes, declaredBytes, endMs }: BodyTerms): Promise<Buffer> {
  if (declaredBytes !== undefined && declaredBytes > maxBytes) {
    return Promise.reject(new Refusal('body_too_large', maxBytes));
  }
  if (stream.destroyed) return Promise.reject(new ClientLeft());
  return new Promise((resolve, reject) => {
    const body = new Received(declaredBytes ?? INITIAL_BYTES);
    const startedMs = performance.now();
    const timer = setInterval(() => {
      const allowedMs = GRACE_MS + (1_000 * body.length) / MIN_BYTES_PER_SECOND;
      if (performance.now() - startedMs > allowedMs) fail(new Refusal('request_timeout'));
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
      try {
        take(chunk.length);
        body.add(chunk);
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

/** The received bytes of a body, in one piece, because thousands of short ones would take far more memory. */
class Received {
  length = 0;
  #bytes: Buffer;

  constructor(expectedBytes: number) {
    this.#bytes = Buffer.allocUnsafeSlow(expectedBytes);
  }

  add(chunk: Buffer): void {
    const length = this.length + chunk.length;
    if (length > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#bytes.length));
      this.#bytes.copy(grown, 0, 0, this.length);
      this.#bytes = grown;
    }
    chunk.copy(this.#bytes, this.length);
    this.length = length;
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }
}

const MEBIBYTE = 1024 * 1024;
/** The most bytes of a process, and of one party. */
const MAX_BYTES = 64 * MEBIBYTE;
const MAX_BYTES_OF_PARTY = 32 * MEBIBYTE;

/**
 * Counts the bytes that a process holds for its calls: of bodies until they are answered, and of long answers until
 * clients have read them. A party, such as an application, takes no more than its share.
 */
export class BytesInFlight {
  readonly #ofParty = new Map<string, number>();
  #all = 0;

  /** Throws a Refusal if they do not fit: overloaded. */
  take(party: string, bytes: number): void {
    const ofParty = (this.#ofParty.get(party) ?? 0) + bytes;
    if (this.#all + bytes > MAX_BYTES || ofParty > MAX_BYTES_OF_PARTY) throw new Refusal('overloaded');
    this.#ofParty.set(party, ofParty);
    this.#all += bytes;
  }

  release(party: string, bytes: number): void {
    this.#all -= bytes;
    const left = (this.#ofParty.get(party) ?? 0) - bytes;
    if (left === 0) this.#ofParty.delete(party);
    else this.#ofParty.set(party, left);
  }
}

/** Reading a body of this size takes longer than other calls should wait for several of them. */
const LARGE_BYTES = 256 * 1024;

/** A batch that was checked and prepared for storing. */
export interface ReadBatch {
  prepared: PreparedBatch;
  /** Its orders in the order of orderList, for a sync batch or a preview; otherwise empty. */
  orders: Order[];
  /** The paths of the first unknown fields. */
  ignoredFields: string[];
}

/** Checks and prepares the bodies of O5 and of its preview. */
export class BatchReader {
  readonly #channels = new CustomerChannels();
  /** Large bodies are read one at a time, so that other calls go on between them. Applications take turns. */
  readonly #turns = new FairQueue({ atOnce: 1, maxWaiting: Number.POSITIVE_INFINITY });

  /** Throws the Refusals of readBatchOrder, and an Overload when the call's deadline passes or its client has left. */
  async read(
    caller: Pick<Caller, 'applicationId' | 'channels'>,
    bytes: Buffer,
    isPreview: boolean,
    { db, deadline }: Pick<FastifyRequest, 'db' | 'deadline'>,
  ): Promise<ReadBatch> {
    const { applicationId, channels } = caller;
    const isLarge = bytes.length > LARGE_BYTES;
    const inTurn = <Result>(work: () => Result): Promise<Result> | Result =>
      isLarge
        ? this.#turns.run(applicationId, deadline.signal, async () => {
            await setImmediate();
            return work();
          })
        : work();
    const { batch, ignoredFields } = await inTurn(() => readBatchOrder(bytes));
    const customerIds: CustomerId[] = isPreview ? [] : batch.orderList.map(({ customerId }) => customerId);
    const channelIds = await deadline.race(this.#channels.find(db, customerIds, channels));
    const prepared = await inTurn(() => prepareBatch(applicationId, batch, channelIds));
    return isPreview || batch.syncMode === 'sync'
      ? { prepared: withoutPayloads(prepared), orders: batch.orderList, ignoredFields }
      : { prepared, orders: [], ignoredFields };
  }
}

/** Frees memory while a call waits. */
const withoutPayloads = (batch: PreparedBatch): PreparedBatch => ({
  ...batch,
  chunks: batch.chunks.map((chunk) => ({ ...chunk, payload: '' })),
});
