import type { Caller, CallVerifier } from '@lockstep/access';
import { type Cause, Refusal, requireChannel, type Scope } from '@lockstep/contract';
import type { Actor } from '@lockstep/members';
import type { FastifyRequest } from 'fastify';
import { noteSubject } from './calls.ts';
import { deadlineOf } from './deadlines.ts';
import type { Server } from './server.ts';

const callers = new WeakMap<FastifyRequest, Caller>();
const actors = new WeakMap<FastifyRequest, Actor>();
const applicationIds = new WeakMap<FastifyRequest, string>();

/**
 * A hook that verifies the call before its body is read (decisions 2 and 3). Register it on every operation's route;
 * `callerOf` throws on one that lacks it.
 */
export function authorize(verifier: CallVerifier, scope: Scope) {
  return async (request: FastifyRequest): Promise<void> => {
    const verifying = verifier.verify({ ...credentialsOf(request), scope });
    const caller = await deadlineOf(request).race(verifying);
    callers.set(request, caller);
    applicationIds.set(request, caller.applicationId);
    noteSubject(request, { appKey: caller.appKey });
  };
}

/** Who makes a call that `authorize` has verified. */
export function callerOf(request: FastifyRequest): Caller {
  const caller = callers.get(request);
  if (caller === undefined) throw new Error(`${request.routeOptions.url} is served without authorize`);
  return caller;
}

/**
 * Refuses every call that names a channel to which its application is not bound, in its query or its body (decisions 2).
 * A route that reads the body itself calls requireChannel.
 *
 * Throws a Refusal: channel_not_allowed.
 */
export function holdToChannels(server: Server): void {
  server.addHook('preHandler', async (request) => {
    const caller = callers.get(request);
    if (caller === undefined) return;
    for (const part of [request.query, request.body]) {
      const { channelCode } = (part ?? {}) as { channelCode?: unknown };
      if (typeof channelCode === 'string') requireChannel(caller.channels, channelCode);
    }
  });
}

/**
 * A hook for the operations of the member center: verifies all three tokens and the nonce, and that the user is an
 * administrator of the enterprise in the path, if it names one (decisions 2 and 3). `whenBlank` is what a blank one is
 * refused for, where that has a cause of its own. `actorOf` throws without this hook.
 */
export function authorizeAdministrator(verifier: CallVerifier, whenBlank?: Cause) {
  return async (request: FastifyRequest): Promise<void> => {
    const { clienttoken, usertoken } = request.headers;
    const verifying = verifier.verifyAdministrator({
      ...credentialsOf(request),
      clientToken: textOf(clienttoken),
      userToken: textOf(usertoken),
    });
    const { appKey, ...administrator } = await deadlineOf(request).race(verifying);
    noteSubject(request, { appKey });
    applicationIds.set(request, administrator.applicationId);
    const { enterpriseGlobalId = administrator.enterpriseId } = request.params as { enterpriseGlobalId?: string };
    if (enterpriseGlobalId.trim() === '' && whenBlank !== undefined) {
      throw new Refusal(whenBlank, 'enterpriseGlobalId');
    }
    if (enterpriseGlobalId !== administrator.enterpriseId) throw new Refusal('not_administrator', enterpriseGlobalId);
    actors.set(request, { ...administrator, requestId: request.id });
  };
}

/** Who acts in a call that `authorizeAdministrator` has verified. */
export function actorOf(request: FastifyRequest): Actor {
  const actor = actors.get(request);
  if (actor === undefined) throw new Error(`${request.routeOptions.url} is served without authorizeAdministrator`);
  return actor;
}

/** The application that makes a call of either module, which has been verified. */
export function applicationOf(request: FastifyRequest): string {
  const applicationId = applicationIds.get(request);
  if (applicationId === undefined) throw new Error(`${request.routeOptions.url} takes a body of a stranger`);
  return applicationId;
}

function credentialsOf({ headers, query }: FastifyRequest) {
  return { authorization: headers.authorization, nonce: (query as { g_nonce?: unknown }).g_nonce };
}

/** A header that comes twice is none that we know. */
const textOf = (header: string | string[] | undefined) => (typeof header === 'string' ? header : undefined);
