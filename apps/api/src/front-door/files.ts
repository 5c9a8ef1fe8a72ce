import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';

const DIRECTORY = join(import.meta.dirname, 'files');

/** Reads a file of the front door as text. */
export function readFrontFile(name: string): string {
  return readFileSync(join(DIRECTORY, name), 'utf8');
}

/** Fixed content with an ETag, so that browsers can revalidate instead of downloading it again. */
export class Sendable {
  readonly #type: string;
  readonly #content: Buffer;
  readonly #etag: string;

  constructor(type: string, content: string | Buffer) {
    this.#type = type;
    this.#content = Buffer.from(content);
    this.#etag = `"${createHash('sha256').update(this.#content).digest('base64url')}"`;
  }

  /** Sends the content, or 304 if the client has it. */
  send(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    reply.header('etag', this.#etag).header('cache-control', 'no-cache');
    if (request.headers['if-none-match']?.includes(this.#etag)) return reply.code(304).send();
    return reply.type(this.#type).send(this.#content);
  }
}
