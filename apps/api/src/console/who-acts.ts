import type { IncomingHttpHeaders } from 'node:http';
import { ConsoleRefusal, findConsoleOperation, includesRole, type Me } from '@lockstep/contract/console';
import type { Operator } from '@lockstep/operators';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { noteSubject } from '../calls/calls.ts';
import type { ServerOptions } from '../options.ts';
import { readSessionToken } from './session-cookie.ts';

const SESSION = 'operatorSession';

/** Who acts in a call, and what of it the console shows. */
interface Session {
  operator: Operator;
  me: Me;
}

/**
 * Has the operations of a plugin refuse calls that may be forged, and verify who calls before the body is read: an
 * operator with the role that the operation needs. An operation for anybody needs no session.
 *
 * Calls fail with a ConsoleRefusal: request_forged, not_logged_in, role_missing.
 */
export function authorizeOperators(server: FastifyInstance, { sessions, publicUrl }: ServerOptions): void {
  server.decorateRequest(SESSION, null);
  server.addHook('onRequest', async (request) => {
    if (mayBeForged(request, publicUrl)) throw new ConsoleRefusal('request_forged');
    const least = findConsoleOperation(request.routeOptions.config.consoleOperationId!).role;
    if (least === 'anybody') return;
    const token = readSessionToken(request);
    const isAutomatic = request.headers[CONSOLE_HEADER] === 'automatic';
    const session =
      token === undefined
        ? undefined
        : await sessions.verify(request.db, token, { requestId: request.id, isAutomatic });
    if (session === undefined) throw new ConsoleRefusal('not_logged_in');
    const { operator } = session;
    noteSubject(request, { operator: operator.name });
    if (!includesRole(operator.role, least)) throw new ConsoleRefusal('role_missing', least, operator.role);
    request.setDecorator<Session>(SESSION, session);
  });
}

/** The operator who makes a call, in a plugin with `authorizeOperators`. Throws in any other. */
export function operatorOf(request: FastifyRequest): Operator {
  return request.getDecorator<Session>(SESSION).operator;
}

/** What the console shows of the operator who makes a call. */
export function meOf(request: FastifyRequest): Me {
  return request.getDecorator<Session>(SESSION).me;
}

/** Whose share of the room for bodies a call takes: the operator's, or that of all who are not logged in. */
export function bodyOwnerOf(request: FastifyRequest): string {
  const session = request.getDecorator<Session | null>(SESSION);
  return session === null ? 'console' : `operator-${session.operator.operatorId}`;
}

/** A header that the console sends with each call. Another site's page cannot, without asking the service first. */
const CONSOLE_HEADER = 'x-lockstep-console';

/** What of a request says where it comes from. */
interface Sent {
  method: string;
  headers: IncomingHttpHeaders;
}

/**
 * Whether a request may come from another page than the console (CSRF). The cookie is SameSite=Strict already; this
 * holds also where a sibling host counts as the same site, and in browsers that do not know the attribute. Whatever
 * speaks of another origin refuses any request, and a change needs something that speaks for this one. `publicUrl`:
 * where browsers find the service, if a proxy stands in front.
 */
export function mayBeForged({ method, headers }: Sent, publicUrl: string | null): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  const { origin, 'sec-fetch-site': site } = headers;
  // A reader who typed the address, or opened a bookmark, comes from nowhere.
  if (site !== undefined && site !== 'same-origin' && !(isRead && site === 'none')) return true;
  const isOurOrigin = origin !== undefined && isOurs(origin, headers.host, publicUrl);
  if (origin !== undefined && !isOurOrigin) return true;
  return !isRead && !isOurOrigin && site === undefined && headers[CONSOLE_HEADER] === undefined;
}

function isOurs(origin: string, host: string | undefined, publicUrl: string | null): boolean {
  if (!URL.canParse(origin)) return false;
  const { host: from, origin: whole } = new URL(origin);
  return from === host || (publicUrl !== null && whole === new URL(publicUrl).origin);
}
