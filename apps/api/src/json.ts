import { isUtf8 } from 'node:buffer';
import { Refusal } from '@lockstep/contract';
import type { FastifyRequest } from 'fastify';
import type { Server } from './server.ts';

const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Reads bodies as JSON and as nothing else (decisions 1). Bytes that are not UTF-8 are refused: decoded all the same,
 * they would store mangled names.
 */
export function readJson(server: Server): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      // M4 has no body, but a client may name its content type all the same.
      if (request.method === 'DELETE' && body.length === 0) return undefined;
      if (!isUtf8(body)) throw new Refusal('json_malformed');
      const text = body.toString('utf8');
      try {
        return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text) as unknown;
      } catch {
        throw new Refusal('json_malformed');
      }
    },
  );
}
