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
    async (_request: FastifyRequest, body: Buffer) => {
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
