import { Refusal, success } from '@lockstep/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { noteCode } from '../calls/calls.ts';
import { refuseCall } from '../failures.ts';
import type { ServerOptions } from '../options.ts';
import { findFault } from '../readiness.ts';
import { readFrontFile, Sendable } from './files.ts';
import { frontPage } from './front-page.ts';
import { guideList, guidePage, noGuidePage } from './guide-pages.ts';
import { GuideShelf } from './guide-shelf.ts';
import { preferredLanguage, switchedLanguage } from './language.ts';
import { FRONT_POLICY } from './layout.ts';

/** The addresses that `/` gives to programs. */
const PLACES = {
  name: 'Lockstep',
  console: '/console',
  docs: '/docs',
  guides: '/guides',
  openapi: '/openapi.json',
  health: '/health/ready',
};

/** Registers `/` and `/guides`: what Lockstep is and where to go, for people and, at `/`, for programs (rules 9). */
export async function frontDoor(server: FastifyInstance, options: ServerOptions): Promise<void> {
  const show = (url: string, handler: RouteHandlerMethod) =>
    server.route({ method: ['GET', 'HEAD'], url, schema: { hide: true }, handler });
  const shelf = new GuideShelf();
  const files = new Map([
    ['style.css', new Sendable('text/css; charset=utf-8', readFrontFile('style.css'))],
    ['icon.svg', new Sendable('image/svg+xml', readFrontFile('icon.svg'))],
  ]);
  server.addHook('onRequest', async (_request, reply) => {
    reply.header('content-security-policy', FRONT_POLICY);
  });

  show('/', async (request, reply) => {
    reply.header('vary', 'accept, accept-language');
    if (!wantsPage(request)) return success(PLACES);
    const fault = await findFault(options);
    return sendPage(reply, frontPage({ ...readerOf(request), demo: options.demo(), fault }));
  });

  show('/front-door/:file', async (request, reply) => {
    const file = files.get((request.params as { file: string }).file);
    return file?.send(request, reply) ?? refuseCall(request, reply, new Refusal('operation_not_found'));
  });

  show('/guides', async (request, reply) => sendDocument(request, reply, guideList(shelf.guides, readerOf(request))));

  show('/guides/:guide', async (request, reply) => {
    const reader = readerOf(request);
    const { guide: slug } = request.params as { guide: string };
    if (slug === '') return reply.redirect('../guides', 301);
    const guide = shelf.find(slug, reader.language);
    if (guide !== undefined) return sendDocument(request, reply, guidePage(guide, reader));
    if (!wantsPage(request)) return refuseCall(request, reply, new Refusal('operation_not_found'));
    noteCode(request, '404', 'operation_not_found');
    return sendPage(reply.code(404), noGuidePage(reader));
  });

  show('/guides/:folder/:file', async (request, reply) => {
    const { folder, file } = request.params as { folder: string; file: string };
    const found = shelf.findFile(`${folder}/${file}`);
    return found?.send(request, reply) ?? refuseCall(request, reply, new Refusal('operation_not_found'));
  });
}

/** Whether a browser requests a page. */
const wantsPage = ({ headers }: FastifyRequest) => headers.accept?.includes('text/html') ?? false;

function readerOf(request: FastifyRequest) {
  const switched = switchedLanguage(request);
  return { switched, language: switched ?? preferredLanguage(request.headers['accept-language']) };
}

const HTML = 'text/html; charset=utf-8';

function sendPage(reply: FastifyReply, page: string): FastifyReply {
  return reply.type(HTML).send(page);
}

/** Sends a page that only changes with the release. */
function sendDocument(request: FastifyRequest, reply: FastifyReply, page: string): FastifyReply {
  return new Sendable(HTML, page).send(request, reply.header('vary', 'accept-language'));
}
