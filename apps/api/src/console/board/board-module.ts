import cookie from '@fastify/cookie';
import files from '@fastify/static';
import { CONSOLE_ROOT, includesRole } from '@lockstep/contract/console';
import { recordChange } from '@lockstep/operators';
import { FairQueue } from '@lockstep/platform';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Bodies } from '../../bodies.ts';
import { deadlineOf, limitToCall } from '../../deadlines.ts';
import type { ServerOptions } from '../../server-options.ts';
import { CONSOLE_HEADER } from '../forged.ts';
import { answerConsoleRefusals } from '../refusals.ts';
import { authorizeOperators, bodyOwnerOf, operatorOf } from '../who-acts.ts';
import { BOARD_FILES, Board, type BoardRoute } from './board.ts';

/** Where bull-board is, behind CONSOLE_ROOT and the console's session. */
export const BOARD_PATH = '/bull-board';
const BOARD_ROOT = CONSOLE_ROOT + BOARD_PATH;

/** Calls of boards that a process answers at once, so that boards take neither its connections nor its memory. */
const CALLS_AT_ONCE = 3;
const MAX_WAITING = 20;
const MAX_BODY_BYTES = 64 * 1024;
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
export async function boardModule(
  server: FastifyInstance,
  { bodies, ...options }: ServerOptions & { bodies: Bodies },
): Promise<void> {
  const { db, publicUrl, queueView } = options;
  const prefix = publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
  const board = new Board(`${prefix}${CONSOLE_ROOT}/queue`);
  const page = board.buildPage(prefix + BOARD_ROOT);
  const turns = new FairQueue({ atOnce: CALLS_AT_ONCE, maxWaiting: () => MAX_WAITING });

  answerConsoleRefusals(server);
  await server.register(cookie);
  // The page asks by itself, again and again: that keeps no session from becoming idle.
  server.addHook('onRequest', async (request) => {
    if (isRead(request)) request.headers[CONSOLE_HEADER] = 'automatic';
  });
  authorizeOperators(server, options, (request) => (isRead(request) ? 'viewer' : 'admin'));
  bodies.readJson(server, bodyOwnerOf);
  server.addHook('onSend', async (_, reply) => {
    reply.header('content-security-policy', PAGE_POLICY);
  });
  await server.register(files, { root: BOARD_FILES, prefix: `${BOARD_ROOT}/static/`, schemaHide: true });
  for (const url of ['', ...board.pageUrls]) {
    server.get(BOARD_ROOT + url, { schema: { hide: true } }, async (_, reply) => {
      return reply.type('text/html; charset=utf-8').header('cache-control', 'no-cache').send(page);
    });
  }
  for (const route of board.routes) {
    for (const url of route.urls) {
      server.route({
        method: route.methods,
        url: BOARD_ROOT + url,
        bodyLimit: MAX_BODY_BYTES,
        schema: { hide: true },
        handler: async (request, reply) => {
          const operator = operatorOf(request);
          const owner = { kind: 'board', party: operator.operatorId };
          const { status, body } = await turns.run(owner, deadlineOf(request).signal, () => answer(route, request));
          if (!isRead(request)) await recordAnswer(request, status);
          return reply.code(status).send(body);
        },
      });
    }
  }

  function answer(route: BoardRoute, request: FastifyRequest) {
    const isReadOnly = !includesRole(operatorOf(request).role, 'admin');
    const { params, body } = request;
    return queueView.use((queue) => route.answer(queue, isReadOnly, { params, query: boundPage(request), body }));
  }

  /** Which of the board's changes was made: the queue has no transaction that the record could share. */
  async function recordAnswer(request: FastifyRequest, status: number): Promise<void> {
    const target = request.url.slice(BOARD_ROOT.length).split('?', 1)[0]!;
    const change = { action: 'queue.changed', target, before: null, after: { method: request.method, status } };
    await recordChange(limitToCall(request, db), operatorOf(request), change);
  }
}

/** The query of a call, with as many jobs as may be asked for. */
function boundPage({ query }: FastifyRequest): Record<string, string> {
  const { jobsPerPage, ...others } = query as Record<string, string>;
  if (jobsPerPage === undefined) return others;
  return { ...others, jobsPerPage: String(Math.min(Number(jobsPerPage) || 1, MAX_JOBS_PER_PAGE)) };
}
