import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import cookie from '@fastify/cookie';
import files from '@fastify/static';
import { Refusal } from '@lockstep/contract';
import { CONSOLE_API_ROOT, CONSOLE_ROOT } from '@lockstep/contract/console';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { answerFileFailure, refuseCall } from '../failures.ts';
import type { Services } from '../services.ts';
import { consolePathOf, readSessionToken } from './session-cookie.ts';

/** The output of apps/console/build.ts. */
const BUILT = fileURLToPath(new URL('../../../console/dist/', import.meta.url));
/** The path of the files that the page loads. Their names change with their content. */
const FILES = `${CONSOLE_ROOT}/files/`;
const FILE_MAX_AGE_MS = 365 * 24 * 3_600_000;
const NONCE_BYTES = 16;

const NOT_BUILT =
  'The console is not built. Run "npm ci" or "node apps/console/build.ts", then reload this page.\n' +
  'The API works without it: see /docs.\n';

/**
 * Serves the console page at every address below /console that is not an operation, and the files that it loads. The
 * page contains no data, so it needs no login: its data comes from the operations.
 */
export async function consolePages(server: FastifyInstance, options: Services): Promise<void> {
  const { publicUrl, loginProvider, hasPasswordLogin } = options;
  await server.register(cookie);
  const fill = (html: string) =>
    html
      // The base path of the page's relative addresses.
      .replace('__BASE__', `${consolePathOf(publicUrl)}/`)
      .replace('__PROVIDER__', loginProvider?.name ?? '')
      .replace('__PASSWORD__', hasPasswordLogin ? 'on' : 'off');
  for (const url of [CONSOLE_ROOT, `${CONSOLE_ROOT}/*`]) {
    server.route({
      method: ['GET', 'HEAD'],
      url,
      // A path that only this route handles does not exist for other methods.
      config: { isFallback: url.endsWith('*') },
      handler: async (request, reply) => {
        const [path = ''] = request.url.split('?', 1);
        const isOperation = path === CONSOLE_API_ROOT || path.startsWith(`${CONSOLE_API_ROOT}/`);
        if (isOperation) return refuseCall(request, reply, new Refusal('operation_not_found'));
        return sendPage(request, reply, fill);
      },
    });
  }
  await server.register(consoleFiles);
}

/** Sends the page, which is the same at every address, with a new nonce, which allows its own styles and no others. */
async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  fill: (html: string) => string,
): Promise<FastifyReply> {
  const html = await readPage();
  if (html === undefined) return reply.code(503).type('text/plain; charset=utf-8').send(NOT_BUILT);
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  return reply
    .header('content-security-policy', policyWith(nonce))
    .type('text/html; charset=utf-8')
    .send(
      fill(html)
        .replace('__NONCE__', nonce)
        .replace('__SESSION__', mayHaveSession(request) ? 'maybe' : 'none'),
    );
}

/**
 * Whether the browser may have a session. Without one, the page shows the login at once, instead of waiting for a
 * refusal. If the page is opened from another site, such as a link in a mail or ticket, the browser sends no cookie
 * even if there is one.
 */
function mayHaveSession(request: FastifyRequest): boolean {
  const { 'sec-fetch-site': site = 'none' } = request.headers;
  return readSessionToken(request) !== undefined || (site !== 'none' && site !== 'same-origin');
}

/** Reads the page each time, because it is small and a new build replaces it. Returns undefined if there is none. */
async function readPage(): Promise<string | undefined> {
  try {
    return await readFile(`${BUILT}index.html`, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

/**
 * Returns the content security policy: the page can load only what this service serves, and inline styles with its
 * nonce.
 */
function policyWith(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "font-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

async function consoleFiles(server: FastifyInstance): Promise<void> {
  server.setErrorHandler(answerFileFailure);
  // Files are immutable and small, so conditions and ranges are ignored.
  server.addHook('onRequest', async ({ headers }) => {
    for (const name of ['range', 'if-range', 'if-match', 'if-unmodified-since']) delete headers[name];
  });
  await server.register(files, {
    root: `${BUILT}files`,
    prefix: FILES,
    preCompressed: true,
    immutable: true,
    maxAge: FILE_MAX_AGE_MS,
    index: false,
  });
}
