import { ConsoleRefusal, type Me } from '@lockstep/contract/console';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { noteSubject } from '../../calls/calls.ts';
import type { Services } from '../../services.ts';
import { addressOf } from '../caller-address.ts';
import { type ConsoleHandlers, existing } from '../operations.ts';
import {
  clearSessionCookie,
  readSessionToken,
  setAttemptCookie,
  setSessionCookie,
  takeAttempt,
} from '../session-cookie.ts';
import { meOf } from '../who-acts.ts';

/** Handlers to log in and out, and to change your own password. */
export function sessionHandlers({ sessions, publicUrl, loginProvider, hasPasswordLogin }: Services) {
  const callOf = (request: FastifyRequest) => ({
    address: addressOf(request, publicUrl),
    requestId: request.id,
    signal: request.deadline.signal,
  });
  /** Gives the browser a new session, and records its operator for the log line. */
  const enter = (request: FastifyRequest, reply: FastifyReply, { token, me }: { token: string; me: Me }) => {
    noteSubject(request, { operator: me.name });
    setSessionCookie(request, reply, token, publicUrl);
    return me;
  };
  return {
    logIn: async (request, _operator, reply) => {
      if (!hasPasswordLogin) throw new ConsoleRefusal('password_log_in_off');
      const call = callOf(request);
      noteSubject(request, { address: call.address });
      const session = await sessions.logIn(request.db, request.body, call);
      return enter(request, reply, session);
    },

    logInByLink: async (request, _operator, reply) => {
      noteSubject(request, { address: addressOf(request, publicUrl) });
      const session = await sessions.logInByLink(request.db, request.body.token, request.id);
      return enter(request, reply, session);
    },

    beginProviderLogIn: async (request, _operator, reply) => {
      const provider = existing('login_provider', 'OIDC_ISSUER', loginProvider);
      const { url, attempt } = await provider.begin(request.body.next);
      setAttemptCookie(reply, attempt, publicUrl);
      return { url };
    },

    logInByProvider: async (request, _operator, reply) => {
      const provider = existing('login_provider', 'OIDC_ISSUER', loginProvider);
      const call = callOf(request);
      noteSubject(request, { address: call.address });
      const attempt = takeAttempt(request, reply, publicUrl);
      const { person, next } = await provider.finish(request.body.search, attempt, call);
      const session = await sessions.logInByProvider(request.db, person, call);
      return { me: enter(request, reply, session), next };
    },

    logOut: async (request, operator, reply) => {
      await sessions.logOut(request.db, operator, readSessionToken(request)!);
      clearSessionCookie(reply, publicUrl);
    },

    getMe: async (request) => meOf(request),

    changeOwnPassword: async (request, operator, reply) => {
      const session = await sessions.changeOwnPassword(request.db, operator, request.body, callOf(request));
      return enter(request, reply, session);
    },
  } satisfies ConsoleHandlers;
}
