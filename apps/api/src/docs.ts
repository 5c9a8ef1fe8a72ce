import { createHash } from 'node:crypto';
import swaggerUi from '@fastify/swagger-ui';
import { Refusal } from '@lockstep/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { answerFailure, refuseCall } from './failures.ts';

/** What the page may load and do: what is here, and no more. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // The one style that the page's own script puts into it.
  "style-src 'self' 'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Publishes the API description: /openapi.json for programs, /docs for people (decisions 9). */
export async function publishDocs(server: FastifyInstance): Promise<void> {
  const document = new PublishedDocument(server);
  server.get('/openapi.json', { schema: { hide: true } }, async (request, reply) => document.send(request, reply));
  await server.register(async (docs) => {
    docs.setErrorHandler(answerFileFailure);
    docs.addHook('onRequest', async (request, reply) => {
      // Files are served whole, or not at all where the client has them.
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

/** The description's bytes, made once. It does not change while the process runs. */
class PublishedDocument {
  readonly #server: FastifyInstance;
  #made: { json: Buffer; etag: string } | undefined;

  constructor(server: FastifyInstance) {
    this.#server = server;
  }

  /** Answers with the document, or with 304 where the client has it. */
  send(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    this.#made ??= this.#make();
    const { json, etag } = this.#made;
    reply.header('etag', etag).header('cache-control', 'no-cache');
    if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(json);
  }

  #make() {
    const json = Buffer.from(JSON.stringify(this.#server.swagger()));
    return { json, etag: `"${createHash('sha256').update(json).digest('base64url')}"` };
  }
}

/** What the files' own rules refuse, such as a path that leads out of them, is not there. */
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
 * Puts a new g_nonce in place of the example's into a call that is tried out in /docs, so that the next one is not a
 * replay. It runs in the browser: its text goes there, so it can use nothing of this file.
 */
function putNewNonce<Call>(request: Call): Call {
  const call = request as Call & { url: string };
  const nonce = `docs-${Date.now()}-${Math.random().toString(36).slice(2)}`;
  call.url = call.url.replace('g_nonce=a-new-one-for-every-call', `g_nonce=${nonce}`);
  return call;
}
