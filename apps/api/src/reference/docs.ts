import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { answerFileFailure } from '../failures.ts';
import { readFrontFile, Sendable } from '../front-door/files.ts';
import type { ServerOptions } from '../options.ts';
import { describeForPage } from './docs-document.ts';

/** The content security policy of /docs: the page can only load what this service serves. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // The only inline style of the page, which its script inserts.
  "style-src 'self' 'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The files that /docs loads in addition to those of the library. */
const THEME = {
  title: 'Lockstep API',
  favicon: [
    { filename: 'icon.svg', rel: 'icon', sizes: 'any', type: 'image/svg+xml', content: readFrontFile('icon.svg') },
  ],
  css: [{ filename: 'lockstep.css', content: readFrontFile('docs.css') }],
};

/** Publishes the API description: /openapi.json for programs, /docs for people, who can try calls there (rules 9). */
export async function publishDocs(server: FastifyInstance, options: ServerOptions): Promise<void> {
  const published = once(() => asJson(server.swagger()));
  const ofPage = describePages(server, options);
  const script = new Sendable('text/javascript; charset=utf-8', readFrontFile('docs.js'));
  const own: Record<string, () => Sendable> = {
    '/docs/json': ofPage,
    // Replaces the script of the library, which sets the page up for any document.
    '/docs/static/swagger-initializer.js': () => script,
  };
  server.get('/openapi.json', { schema: { hide: true } }, async (request, reply) => published().send(request, reply));
  await server.register(async (docs) => {
    docs.setErrorHandler(answerFileFailure);
    docs.addHook('onRequest', async (request, reply) => {
      // Serves a file whole, or answers 304 if the client has it.
      for (const name of ['range', 'if-range', 'if-match', 'if-unmodified-since']) delete request.headers[name];
      reply.header('content-security-policy', PAGE_POLICY);
      const find = own[request.routeOptions.url ?? ''];
      if (find !== undefined) return find().send(request, reply);
    });
    await docs.register(swaggerUi, { routePrefix: '/docs', theme: THEME });
  });
}

/**
 * Returns a function that returns the document of /docs. It is built once with the demo and once without, because `npm
 * start` answers before the demo exists.
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

/** Returns a function that calls `build` once and returns its value each time. */
function once<Value>(build: () => Value): () => Value {
  let built: { value: Value } | undefined;
  return () => {
    built ??= { value: build() };
    return built.value;
  };
}
