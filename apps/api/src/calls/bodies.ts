import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Caller } from '@lockstep/access';
import {
  type CustomerId,
  FORM_TYPE,
  findNamedAssets,
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
import { onCallEnd } from './calls.ts';
import { requireWhole } from './connections.ts';
import { noteNamed } from './refused.ts';

const JSON_TYPE = 'application/json';
/** How long bodies can still arrive once the process stops. The rest of the shutdown time is for their answers. */
const STOPPING_MS = 15_000;
const STRANGERS = 'strangers';

const MEBIBYTE = 1024 * 1024;
/** The most bytes in flight of a process, and of one party. */
const MAX_BYTES = 64 * MEBIBYTE;
const MAX_BYTES_OF_PARTY = 32 * MEBIBYTE;

/** The client disconnected before its whole body arrived, so there is nothing to answer. */
export class ClientLeft extends Error {
  constructor() {
    super('The client disconnected before its body arrived');
    this.name = 'ClientLeft';
  }
}

/** Returns the application to whose share the body of a call counts. */
type FindApplicationId = (request: FastifyRequest) => string;

/**
 * Reads the bodies of calls, as far as the bytes in flight allow: those that a process holds for its calls, of bodies
 * until they are answered, and of long answers until clients have read them. A party, such as an application, takes no
 * more than its share.
 */
export class Bodies {
  readonly #ofParty = new Map<string, number>();
  #all = 0;
  /** Those that refuse a body that is arriving. */
  readonly #arriving = new Set<(refusal: Refusal) => void>();

  /** Adds bytes to those in flight until a call ends. Throws a Refusal if they do not fit: overloaded. */
  hold(request: FastifyRequest, party: string, bytes: number): void {
    this.take(party, bytes);
    onCallEnd(request, () => this.take(party, -bytes));
  }

  /** Adds bytes to those in flight, or removes them if negative. Throws a Refusal if they do not fit: overloaded. */
  take(party: string, bytes: number): void {
    const ofParty = (this.#ofParty.get(party) ?? 0) + bytes;
    if (bytes > 0 && (this.#all + bytes > MAX_BYTES || ofParty > MAX_BYTES_OF_PARTY)) throw new Refusal('overloaded');
    if (ofParty === 0) this.#ofParty.delete(party);
    else this.#ofParty.set(party, ofParty);
    this.#all += bytes;
  }

  /** Refuses bodies that are still arriving after a while, so that the process can stop (rules 9). */
  close(): void {
    setTimeout(() => {
      for (const refuse of this.#arriving) refuse(new Refusal('service_unavailable'));
    }, STOPPING_MS).unref();
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
   * Receives a body. The deadline of the call stops meanwhile.
   *
   * Throws a Refusal: body_too_large, overloaded, service_unavailable, or that of bytes that are not HTTP or too slow;
   * or a ClientLeft. The rest of the body is then read and dropped, so that the client can read its answer.
   */
  async #receive(
    request: FastifyRequest,
    stream: Readable,
    party: string,
    maxBytes = request.routeOptions.bodyLimit ?? MAX_BODY_BYTES,
  ): Promise<Buffer> {
    const { deadline, headers } = request;
    const declaredBytes = Number(headers['content-length'] ?? maxBytes);
    if (declaredBytes > maxBytes) throw new Refusal('body_too_large', maxBytes);
    requireWhole(request.raw);
    if (stream.destroyed) throw new ClientLeft();
    // In one piece, because thousands of short ones would take far more memory.
    const bytes = Buffer.allocUnsafeSlow(declaredBytes);
    let length = 0;
    const { promise: arrived, resolve, reject: refuse } = Promise.withResolvers<void>();
    const onData = (chunk: Buffer) => {
      try {
        if (length + chunk.length > maxBytes) throw new Refusal('body_too_large', maxBytes);
        this.take(party, chunk.length);
        length += chunk.copy(bytes, length);
      } catch (error) {
        refuse(error);
      }
    };
    deadline.pause();
    this.#arriving.add(refuse);
    stream
      .on('data', onData)
      .once('end', resolve)
      .on('error', (error) => refuse(error instanceof Refusal ? error : new ClientLeft()))
      .once('close', () => refuse(new ClientLeft()));
    try {
      await arrived;
    } finally {
      this.#arriving.delete(refuse);
      deadline.resume();
      stream.off('data', onData).resume();
      onCallEnd(request, () => this.take(party, -length));
      noteNamed(request, { bytes: length });
    }
    // A body whose length was not declared took the place of the longest.
    return length === declaredBytes ? bytes : Buffer.from(bytes.subarray(0, length));
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
  /** The first asset numbers that it names. */
  assetNums: string[];
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
    const named = { ignoredFields, assetNums: findNamedAssets(batch) };
    return isPreview || batch.syncMode === 'sync'
      ? { prepared: withoutPayloads(prepared), orders: batch.orderList, ...named }
      : { prepared, orders: [], ...named };
  }
}

/** Frees memory while a call waits. */
const withoutPayloads = (batch: PreparedBatch): PreparedBatch => ({
  ...batch,
  chunks: batch.chunks.map((chunk) => ({ ...chunk, payload: '' })),
});
