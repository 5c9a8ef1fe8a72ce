import { MAX_BODY_BYTES, Refusal } from '@lockstep/contract';
import type { FastifyRequest } from 'fastify';
import type { Server } from './server.ts';

/** Bytes of bodies that this process reads and works on at once; beyond it calls are refused as overload. */
const MAX_BYTES_AT_ONCE = 1024 * 1024 * 1024;

/** Bounds the memory that bodies take: a call whose body would go past the bound is refused before it is read. */
export function limitBodyBytes(server: Server): void {
  const held = new WeakMap<FastifyRequest, number>();
  let bytesAtOnce = 0;
  server.addHook('onRequest', async (request) => {
    const bytes = bodyBytes(request);
    if (bytesAtOnce + bytes > MAX_BYTES_AT_ONCE) throw new Refusal('overloaded');
    bytesAtOnce += bytes;
    held.set(request, bytes);
  });
  const release = (request: FastifyRequest) => {
    bytesAtOnce -= held.get(request) ?? 0;
    held.delete(request);
  };
  server.addHook('onResponse', async (request) => release(request));
  server.addHook('onRequestAbort', async (request) => release(request));
}

/** What the client announces; a body of unannounced length may be as long as the limit allows. */
function bodyBytes({ headers }: FastifyRequest): number {
  if (headers['transfer-encoding'] !== undefined) return MAX_BODY_BYTES;
  return Math.min(Number(headers['content-length'] ?? 0), MAX_BODY_BYTES);
}
