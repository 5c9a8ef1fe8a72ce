import { readFileSync } from 'node:fs';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { answerFileFailure } from '../failures.ts';
import type { Services } from '../services.ts';
import { describeApi } from './openapi.ts';

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

/** The colors of the library have too little contrast. */
const COLORS = `
.swagger-ui .opblock[class] .opblock-summary-method,
.swagger-ui .info .title small.version-stamp,
.swagger-ui .btn.execute { background: #16212e; border-color: #16212e; }
.swagger-ui .btn.authorize, .swagger-ui .info a { border-color: #1b5e3a; color: #1b5e3a; }
.swagger-ui .btn.authorize svg { fill: #1b5e3a; }
`;

/**
 * Returns llms.txt, which tells language models what there is to read (https://llmstxt.org), with links to what this
 * service serves. It doesn't serve the pages of the repository, so those are named by their paths.
 */
const readGuide = (publicUrl: string | null) =>
  readFileSync(new URL('../../../../llms.txt', import.meta.url), 'utf8')
    .replaceAll('http://127.0.0.1:8080', publicUrl ?? '')
    .replace(/\[(.+?)\]\(([\w-][\w./-]*\.md)\)/g, '$1 (`$2` of the repository)');

/**
 * Publishes the API description: /openapi.json for programs, /docs for people, who can try calls there, and /llms.txt
 * for language models (rules 9).
 */
export async function publishDocs(server: FastifyInstance, { publicUrl }: Services): Promise<void> {
  let described: object | undefined;
  // Built when it is first asked for. The types of the library end at OpenAPI 3.0.
  const document = { toJSON: () => (described ??= describeApi(publicUrl)) };
  await server.register(swagger, { mode: 'static', specification: { document: document as never } });
  server.get('/openapi.json', async () => document);
  const guide = readGuide(publicUrl);
  server.get('/llms.txt', async (_request, reply) => reply.type('text/plain; charset=utf-8').send(guide));
  await server.register(async (docs) => {
    docs.setErrorHandler(answerFileFailure);
    await docs.register(swaggerUi, {
      routePrefix: '/docs',
      // Its files are found with and without a proxy that removes a path prefix.
      indexPrefix: '.',
      staticCSP: PAGE_POLICY,
      theme: { title: 'Lockstep API', css: [{ filename: 'colors.css', content: COLORS }] },
      uiConfig: {
        // Without the bar of the library, in which any address could be typed.
        layout: 'BaseLayout',
        tryItOutEnabled: true,
        defaultModelsExpandDepth: 0,
        // The library runs the text of this function in the browser.
        requestInterceptor: (call) => {
          call.url = call.url.replace('a-new-one-for-every-call', `docs-${Date.now()}`);
          // Otherwise the browser would prompt for a password after a wrong secret.
          call.credentials = 'omit';
          // The library sends any token as Authorization. The member center needs three (rules 2).
          const page = globalThis as { userToken?: string | undefined };
          if (/^grant_type=password/.test(call.body)) {
            call.responseInterceptor = ({ obj }: { obj?: { access_token?: string } }) => {
              page.userToken = obj?.access_token;
            };
          } else if (page.userToken !== undefined && call.url.includes('/me/api/')) {
            const clientToken = call.headers.Authorization?.slice('Bearer '.length) ?? '';
            call.headers = { clientToken, userToken: page.userToken, ...call.headers };
          }
          return call;
        },
      },
    });
  });
}
