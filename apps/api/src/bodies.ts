import type { Readable } from 'node:stream';
import { MAX_BODY_BYTES, readJson } from '@lockstep/contract';
import { parse as parseForm } from 'fast-querystring';
import type { FastifyRequest } from 'fastify';
import { BodyRoom } from './body-room.ts';
import { applicationOf } from './caller.ts';
import { onCallDecided } from './calls.ts';
import { receiveBody } from './receive-body.ts';
import type { Server } from './server.ts';

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const STRANGERS = 'strangers';

/** Reads the bodies of calls within the room that a process has for them. */
export class Bodies {
  readonly #room = new BodyRoom();

  /** Has a server read bodies as JSON and as nothing else (decisions 1). */
  readJson(server: Server): void {
    server.removeAllContentTypeParsers();
    server.addContentTypeParser(JSON_TYPE, async (request: FastifyRequest, stream: Readable) => {
      const bytes = await this.#receive(request, stream);
      // M4 has no body, but a client may name its content type all the same.
      return request.method === 'DELETE' && bytes.length === 0 ? undefined : readJson(bytes);
    });
  }

  /** Has a server leave the bytes of JSON bodies as they are, for what reads them elsewhere. */
  readBytes(server: Server): void {
    server.removeAllContentTypeParsers();
    server.addContentTypeParser(JSON_TYPE, (request: FastifyRequest, stream: Readable) =>
      this.#receive(request, stream),
    );
  }

  /** Has a server read bodies as small forms, and as nothing else: of strangers, who share what one application may take. */
  readForms(server: Server): void {
    server.removeAllContentTypeParsers();
    server.addContentTypeParser(FORM_TYPE, async (request: FastifyRequest, stream: Readable) =>
      parseForm((await this.#receive(request, stream, STRANGERS)).toString('utf8')),
    );
  }

  /** What comes counts until the call's answer is decided. */
  #receive(request: FastifyRequest, stream: Readable, applicationId = applicationOf(request)): Promise<Buffer> {
    const place = this.#room.begin(applicationId);
    onCallDecided(request, () => place.giveBack());
    const declared = request.headers['content-length'];
    return receiveBody(stream, {
      place,
      maxBytes: request.routeOptions.bodyLimit ?? MAX_BODY_BYTES,
      declaredBytes: declared === undefined ? undefined : Number(declared),
    });
  }
}
