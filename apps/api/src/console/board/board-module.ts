import cookie from '@fastify/cookie';
import files from '@fastify/static';
import { Refusal } from '@lockstep/contract';
import { CONSOLE_ROOT, includesRole } from '@lockstep/contract/console';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Bodies } from '../../bodies.ts';
import { deadlineOf } from '../../deadlines.ts';
import { answerFileFailure, refuseCall } from '../../failures.ts';
import type { ServerOptions } from '../../server-options.ts';
import { consolePathOf } from '../console-path.ts';
import { CONSOLE_HEADER } from '../forged.ts';
import { answerConsoleRefusals } from '../refusals.ts';
import { authorizeOperators, bodyOwnerOf, operatorOf } from '../who-acts.ts';
import { BOARD_FILES, Board, type BoardAnswer, type BoardRoute } from './board.ts';
import { BoardTurns } from './board-turns.ts';
import { makeRecorded } from './recorded-change.ts';

/** Where bull-board is, behind CONSOLE_ROOT and the console's session. */
export const BOARD_PATH = '/bull-board';
const BOARD_ROOT = CONSOLE_ROOT + BOARD_PATH;

/** None of the changes has a body: what is sent all the same is recorded. */
const MAX_BODY_BYTES = 1024;
/** The most jobs that a page shows. */
const MAX_JOBS_PER_PAGE = 100;

/** What the board's page may use: only what this service serves. It sets styles on its elements. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const isRead = ({ method }: FastifyRequest) => method === 'GET' || method === 'HEAD';

/**
 * bull-board, the page that shows BullMQ's queues, for operators with a session (rules 9): everybody may look, an admin may
 * change jobs, and what an admin changes is recorded. Whatever is done to jobs loses no order: the sweep finds them all.
 */
export async function boardModule(server: FastifyInstance, options: ServerOptions & { bodies: Bodies }): Promise<void> {
  const consolePath = consolePathOf(options.publicUrl);
  const board = new Board(`${consolePath}/queue`);
  await server.register(boardPages, { board, page: board.buildPage(consolePath + BOARD_PATH) });
  await server.register(boardCalls, { ...options, board });
}

/**
 * The board's page and its files. Like the console's own they hold no data, so anybody may have them: a browser sends no
 * cookie with a link from elsewhere, and the page then asks with it.
 */
async function boardPages(server: FastifyInstance, { board, page }: { board: Board; page: string }): Promise<void> {
  server.setErrorHandler(answerFileFailure);
  server.addHook('onSend', async (_, reply) => {
    reply.header('content-security-policy', PAGE_POLICY);
  });
  await server.register(files, { root: BOARD_FILES, prefix: `${BOARD_ROOT}/static/`, schemaHide: true });
  for (const url of ['', ...board.pageUrls]) {
    server.route({
      method: ['GET', 'HEAD'],
      url: BOARD_ROOT + url,
      schema: { hide: true },
      handler: async (_, reply) =>
        reply.type('text/html; charset=utf-8').header('cache-control', 'no-cache').send(page),
    });
  }
  // What the board does not have is no address of the console either, which would answer with its page.
  server.route({
    method: ['GET', 'HEAD'],
    url: `${BOARD_ROOT}/*`,
    config: { isFallback: true },
    schema: { hide: true },
    handler: async (request, reply) => refuseCall(request, reply, new Refusal('operation_not_found')),
  });
}

/** What the board's page asks for. */
async function boardCalls(
  server: FastifyInstance,
  { bodies, board, ...options }: ServerOptions & { bodies: Bodies; board: Board },
): Promise<void> {
  const { db, queueView } = options;
  const turns = new BoardTurns(queueView);

  answerConsoleRefusals(server);
  await server.register(cookie);
  // The page asks by itself, again and again: that keeps no session from becoming idle.
  server.addHook('onRequest', async (request) => {
    if (isRead(request)) request.headers[CONSOLE_HEADER] = 'automatic';
  });
  authorizeOperators(server, options, (request) => (isRead(request) ? 'viewer' : 'admin'));
  bodies.readJson(server, bodyOwnerOf);
  for (const route of board.routes) {
    server.route({
      method: route.methods,
      url: BOARD_ROOT + route.url,
      bodyLimit: MAX_BODY_BYTES,
      schema: { hide: true },
      handler: async (request, reply) => {
        const { status, body } = route.isChange ? await change(route, request) : await answer(route, request);
        return reply.code(status).send(body);
      },
    });
  }

  function change(route: BoardRoute, request: FastifyRequest): Promise<BoardAnswer> {
    const path = request.url.slice(BOARD_ROOT.length).split('?', 1)[0]!;
    const make = (onBegun: () => void) => answer(route, request, onBegun);
    return makeRecorded(request, db, { operator: operatorOf(request), path, make });
  }

  function answer(route: BoardRoute, request: FastifyRequest, onBegun = () => {}): Promise<BoardAnswer> {
    const { operatorId, role } = operatorOf(request);
    const isReadOnly = !includesRole(role, 'admin');
    const { body } = request;
    const params = request.params as Record<string, string>;
    return turns.run(operatorId, deadlineOf(request).signal, (queue) => {
      onBegun();
      return route.answer(queue, isReadOnly, { params, query: boundPage(request), body });
    });
  }
}

/** The query of a call, with as many jobs as may be asked for. */
function boundPage({ query }: FastifyRequest): Record<string, string> {
  const { jobsPerPage, ...others } = query as Record<string, string>;
  if (jobsPerPage === undefined) return others;
  return { ...others, jobsPerPage: String(Math.min(Number(jobsPerPage) || 1, MAX_JOBS_PER_PAGE)) };
}
