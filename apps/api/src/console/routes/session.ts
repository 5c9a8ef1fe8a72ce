import type { FastifyRequest } from 'fastify';
import { noteSubject } from '../../calls/calls.ts';
import type { ServerOptions } from '../../options.ts';
import { addressOf } from '../caller-address.ts';
import type { ConsoleHandlers } from '../operations.ts';
import { clearSessionCookie, readSessionToken, setSessionCookie } from '../session-cookie.ts';
import { meOf } from '../who-acts.ts';

/** Handlers to log in and out, and to change your own password. */
export function sessionHandlers({ sessions, publicUrl }: ServerOptions) {
  const callOf = (request: FastifyRequest) => ({
    address: addressOf(request, publicUrl),
    requestId: request.id,
    signal: request.deadline.signal,
  });
  return {
    logIn: async (request, _operator, reply) => {
      const call = callOf(request);
      noteSubject(request, { address: call.address });
      const { token, me } = await sessions.logIn(request.db, request.body, call);
      noteSubject(request, { operator: me.name });
      setSessionCookie(request, reply, token, publicUrl);
      return me;
    },

    logInByLink: async (request, _operator, reply) => {
      noteSubject(request, { address: addressOf(request, publicUrl) });
      const { token, me } = await sessions.logInByLink(request.db, request.body.token, request.id);
      noteSubject(request, { operator: me.name });
      setSessionCookie(request, reply, token, publicUrl);
      return me;
    },

    logOut: async (request, operator, reply) => {
      await sessions.logOut(request.db, operator, readSessionToken(request)!);
      clearSessionCookie(reply, publicUrl);
      return null;
    },

    getMe: async (request) => meOf(request),

    changeOwnPassword: async (request, operator, reply) => {
      const changed = await sessions.changeOwnPassword(request.db, operator, request.body, callOf(request));
      setSessionCookie(request, reply, changed.token, publicUrl);
      return changed.me;
    },
  } satisfies ConsoleHandlers;
}
