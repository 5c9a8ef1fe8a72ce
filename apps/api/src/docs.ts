import { createHash } from 'node:crypto';
import swaggerUi from '@fastify/swagger-ui';
import { Refusal } from '@lockstep/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { answerFailure, refuseCall } from './failures.ts';

/** The content security policy of /docs: the page may use only what this service serves. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // The one style that the page's own script inserts.
  "style-src 'self' 'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Publishes the API description: /openapi.json for programs, /docs for people (rules 9). */
export async function publishDocs(server: FastifyInstance): Promise<void> {
  const document = new PublishedDocument(server);
  server.get('/openapi.json', { schema: { hide: true } }, async (request, reply) => document.send(request, reply));
  await server.register(async (docs) => {
    docs.setErrorHandler(answerFileFailure);
    docs.addHook('onRequest', async (request, reply) => {
      // A file is served whole, or not at all if the client has it already.
      for (const name of ['range', 'if-range', 'if-match', 'if-unmodified-since']) delete request.headers[name];
      reply.header('content-security-policy', PAGE_POLICY);
      if (request.routeOptions.url === '/docs/json') return document.send(request, reply);
    });
    await docs.register(swaggerUi, {
      routePrefix: '/docs',
      theme: { title: 'Lockstep API' },
      uiConfig: { requestInterceptor: putNewNonce },
    });
  });
}

/** The API description as bytes, built once. It does not change while the process runs. */
class PublishedDocument {
  readonly #server: FastifyInstance;
  #built: { json: Buffer; etag: string } | undefined;

  constructor(server: FastifyInstance) {
    this.#server = server;
  }

  /** Sends the document, or 304 if the client has it already. */
  send(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    this.#built ??= this.#build();
    const { json, etag } = this.#built;
    reply.header('etag', etag).header('cache-control', 'no-cache');
    if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(json);
  }

  #build() {
    const json = Buffer.from(JSON.stringify(this.#server.swagger()));
    return { json, etag: `"${createHash('sha256').update(json).digest('base64url')}"` };
  }
}

/** Answers 404 for what the file server refuses, such as a path that leads out of its directory. */
function answerFileFailure(
  error: Error & { statusCode?: number },
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | undefined {
  const { statusCode = 500 } = error;
  if (statusCode >= 500) return answerFailure(error, request, reply);
  return refuseCall(request, reply, new Refusal('operation_not_found'));
}

/**
 * Replaces the g_nonce of the example with a new one in a call that is tried out in /docs, so that a second call is not
 * a replay. It runs in the browser, which gets its source text, so it can use nothing else of this file.
 */
function putNewNonce<Call>(request: Call): Call {
  const call = request as Call & { url: string };
  const nonce = `docs-${Date.now()}-${Math.random().toString(36).slice(2)}`;
  call.url = call.url.replace('g_nonce=a-new-one-for-every-call', `g_nonce=${nonce}`);
  return call;
}
