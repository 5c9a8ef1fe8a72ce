import type { IncomingHttpHeaders } from 'node:http';
import { ConsoleRefusal, findConsoleOperation, includesRole, type Me } from '@lockstep/contract/console';
import type { Operator } from '@lockstep/operators';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { noteSubject } from '../calls/calls.ts';
import type { Services } from '../services.ts';
import { readSessionToken } from './session-cookie.ts';

const SESSION = 'operatorSession';

/** The operator of a call, and what the console shows of the session. */
interface Session {
  operator: Operator;
  me: Me;
}

/**
 * Makes the routes of a plugin refuse calls that may be forged, and authenticate an operator with the required role
 * before they read the body. Operations without a role need no session.
 *
 * Calls fail with a ConsoleRefusal: request_forged, not_logged_in, role_missing.
 */
export function authorizeOperators(server: FastifyInstance, { sessions, publicUrl }: Services): void {
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

/** Returns the operator who makes a call. Throws if the plugin does not use `authorizeOperators`. */
export function operatorOf(request: FastifyRequest): Operator {
  return request.getDecorator<Session>(SESSION).operator;
}

/** Returns what the console shows of the operator who makes a call. */
export function meOf(request: FastifyRequest): Me {
  return request.getDecorator<Session>(SESSION).me;
}

/** Returns to whose share the turns and bytes of an operator's call count. */
export const partyOf = ({ operatorId }: Operator): string => `operator ${operatorId}`;

/** Returns to whose share the body of a call counts: the operator, or all callers without a login together. */
export function bodyOwnerOf(request: FastifyRequest): string {
  const session = request.getDecorator<Session | null>(SESSION);
  return session === null ? 'console' : partyOf(session.operator);
}

/**
 * A header that the console sends with each call. A page of another site could send it only after a preflight request.
 */
const CONSOLE_HEADER = 'x-lockstep-console';

/** The parts of a request that reveal its origin. */
interface Sent {
  method: string;
  headers: IncomingHttpHeaders;
}

/**
 * Whether a request may come from a page other than the console (CSRF). The cookie is SameSite=Strict; this check also
 * covers sibling hosts, which count as the same site, and browsers that ignore the attribute. Evidence of another
 * origin refuses any request; a change also needs evidence of this origin. `publicUrl`: the address of the service
 * behind a proxy.
 */
export function mayBeForged({ method, headers }: Sent, publicUrl: string | null): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  const { origin, 'sec-fetch-site': site } = headers;
  // A typed address or a bookmark has the site `none`.
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
