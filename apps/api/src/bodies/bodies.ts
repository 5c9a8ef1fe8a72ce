import type { Readable } from 'node:stream';
import { FORM_TYPE, MAX_BODY_BYTES, readJson } from '@lockstep/contract';
import { parse as parseForm } from 'fast-querystring';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { onCallDecided } from '../calls/calls.ts';
import { receiveBody } from './receive.ts';
import { BodyRoom } from './room.ts';

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

  /** The bytes count against the room until the call's answer is decided. */
  #receive(request: FastifyRequest, stream: Readable, applicationId: string): Promise<Buffer> {
    const place = this.#room.begin(applicationId);
    onCallDecided(request, () => place.giveBack());
    const declared = request.headers['content-length'];
    return receiveBody(stream, {
      place,
      maxBytes: request.routeOptions.bodyLimit ?? MAX_BODY_BYTES,
      declaredBytes: declared === undefined ? undefined : Number(declared),
      endMs: () => this.#endMs,
    });
  }
}
