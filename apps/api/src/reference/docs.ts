import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { answerFileFailure } from '../failures.ts';
import { readFrontFile, Sendable } from '../front-door/files.ts';
import type { ServerOptions } from '../options.ts';
import { describeForPage } from './docs-document.ts';

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

/** What the page /docs loads besides the library's own files. */
const THEME = {
  title: 'Lockstep API',
  favicon: [
    { filename: 'icon.svg', rel: 'icon', sizes: 'any', type: 'image/svg+xml', content: readFrontFile('icon.svg') },
  ],
  css: [{ filename: 'lockstep.css', content: readFrontFile('docs.css') }],
};

/** Publishes the API description: /openapi.json for programs, /docs for people, to try calls (rules 9). */
export async function publishDocs(server: FastifyInstance, options: ServerOptions): Promise<void> {
  const published = once(() => asJson(server.swagger()));
  const ofPage = describePages(server, options);
  const script = new Sendable('text/javascript; charset=utf-8', readFrontFile('docs.js'));
  const own: Record<string, () => Sendable> = {
    '/docs/json': ofPage,
    // In the place of the library's script, which sets the page up for documents of any service.
    '/docs/static/swagger-initializer.js': () => script,
  };
  server.get('/openapi.json', { schema: { hide: true } }, async (request, reply) => published().send(request, reply));
  await server.register(async (docs) => {
    docs.setErrorHandler(answerFileFailure);
    docs.addHook('onRequest', async (request, reply) => {
      // A file is served whole, or not at all if the client has it already.
      for (const name of ['range', 'if-range', 'if-match', 'if-unmodified-since']) delete request.headers[name];
      reply.header('content-security-policy', PAGE_POLICY);
      const find = own[request.routeOptions.url ?? ''];
      if (find !== undefined) return find().send(request, reply);
    });
    await docs.register(swaggerUi, { routePrefix: '/docs', theme: THEME });
  });
}

/**
 * Returns a function that finds what /docs reads. It is built once for a service with the demo, and once for one
 * without: that of `npm start` answers before it has one.
 */
function describePages(server: FastifyInstance, { publicUrl, demo }: ServerOptions): () => Sendable {
  const publicPath = publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
  const built = new Map<string | null, Sendable>();
  return () => {
    const { appKey: demoAppKey = null, file: demoFile } = demo() ?? {};
    const page =
      built.get(demoAppKey) ?? asJson(describeForPage(server.swagger(), { publicPath, demoAppKey, demoFile }));
    built.set(demoAppKey, page);
    return page;
  };
}

const asJson = (document: object) => new Sendable('application/json; charset=utf-8', JSON.stringify(document));

/** Calls a function at the first call, and returns the same from then on. */
function once<Value>(build: () => Value): () => Value {
  let built: { value: Value } | undefined;
  return () => {
    built ??= { value: build() };
    return built.value;
  };
}
