import { MAX_BODY_BYTES, Refusal } from '@lockstep/contract';
import type { FastifyRequest } from 'fastify';
import type { Server } from './server.ts';

/** Bytes of bodies that this process reads and works on at once; beyond it calls are refused as overload. */
const MAX_BYTES_AT_ONCE = 512 * 1024 * 1024;

/** Bounds the memory that bodies take: a call whose body would go past the bound is refused before it is read. */
export function limitBodyBytes(server: Server): void {
  const held = new WeakMap<FastifyRequest, number>();
  let bytesAtOnce = 0;
  // After the call is authorized: what a stranger sends takes no room.
  server.addHook('preParsing', async (request) => {
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
  // A client that goes before its body is there gets no answer. One that goes later is still being worked for.
  server.addHook('onRequestAbort', async (request) => {
    if (!request.raw.complete) release(request);
  });
}

/** What the client announces; a body of unannounced length may be as long as the route allows. */
function bodyBytes({ headers, routeOptions }: FastifyRequest): number {
  const maxBytes = routeOptions.bodyLimit ?? MAX_BODY_BYTES;
  if (headers['transfer-encoding'] !== undefined) return maxBytes;
  return Math.min(Number(headers['content-length'] ?? 0), maxBytes);
}
