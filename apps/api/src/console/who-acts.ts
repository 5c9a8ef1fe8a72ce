import { ConsoleRefusal, findConsoleOperation, includesRole, type Me } from '@lockstep/contract/console';
import type { Operator } from '@lockstep/operators';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { noteSubject } from '../calls.ts';
import type { ServerOptions } from '../server-options.ts';
import { CONSOLE_HEADER, mayBeForged } from './forged.ts';
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
