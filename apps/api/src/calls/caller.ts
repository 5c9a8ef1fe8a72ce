import type { Caller, CallVerifier } from '@lockstep/access';
import { type ApplicationId, type EnterpriseId, Refusal, requireChannel } from '@lockstep/contract';
import type { Actor } from '@lockstep/members';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { noteSubject } from './calls.ts';
import { noteNamed } from './refused.ts';

/** The administrator and the application of a call of the member center. */
interface MemberCaller extends Actor {
  applicationId: ApplicationId;
}

const CALLER = 'caller';
const ACTOR = 'actor';

/**
 * Makes every route of a plugin authenticate an application with the scope auth_order before it reads the body (rules 2
 * and 3). Refuses calls that name, in query or body, a channel to which the application is not bound. A route that
 * reads the body itself calls requireChannel.
 *
 * Calls fail with the Refusals of CallVerifier.verify, and with channel_not_allowed.
 */
export function authorizeApplications(server: FastifyInstance, verifier: CallVerifier): void {
  server.decorateRequest(CALLER, null);
  server.addHook('onRequest', async (request) => {
    const verifying = verifier.verify({ ...credentialsOf(request), scope: 'auth_order' });
    const caller = await request.deadline.race(verifying);
    request.setDecorator<Caller>(CALLER, caller);
  });
  server.addHook('preHandler', async (request) => {
    const { channels } = callerOf(request);
    for (const part of [request.query, request.body]) {
      const { channelCode } = (part ?? {}) as { channelCode?: unknown };
      if (typeof channelCode === 'string') requireChannel(channels, channelCode);
    }
  });
}

/** Returns the application that makes a call. Throws if the plugin does not use `authorizeApplications`. */
export function callerOf(request: FastifyRequest): Caller {
  return request.getDecorator<Caller>(CALLER);
}

/**
 * Makes every route of a plugin authenticate an application and a user, with three tokens and a nonce, before it reads
 * the body. The user must be an administrator of the enterprise in the path, if the path names one (rules 2 and 3).
 *
 * Calls fail with the Refusals of CallVerifier.verifyAdministrator, with not_administrator, and in M1 with
 * group_id_missing if the enterprise is blank.
 */
export function authorizeAdministrators(server: FastifyInstance, verifier: CallVerifier): void {
  server.decorateRequest(ACTOR, null);
  server.addHook('onRequest', async (request) => {
    const { clienttoken, usertoken } = request.headers;
    const verifying = verifier.verifyAdministrator({
      ...credentialsOf(request),
      clientToken: singleValue(clienttoken),
      userToken: singleValue(usertoken),
    });
    const { appKey: _, ...administrator } = await request.deadline.race(verifying);
    const { enterpriseGlobalId = administrator.enterpriseId } = request.params as { enterpriseGlobalId?: EnterpriseId };
    if (enterpriseGlobalId.trim() === '' && request.routeOptions.config.operationId === 'addEmployees') {
      throw new Refusal('group_id_missing', 'enterpriseGlobalId');
    }
    if (enterpriseGlobalId !== administrator.enterpriseId) throw new Refusal('not_administrator', enterpriseGlobalId);
    request.setDecorator<MemberCaller>(ACTOR, { ...administrator, requestId: request.id });
  });
}

/** Returns the administrator who makes a call. Throws if the plugin does not use `authorizeAdministrators`. */
export function actorOf(request: FastifyRequest): MemberCaller {
  return request.getDecorator<MemberCaller>(ACTOR);
}

function credentialsOf(request: FastifyRequest) {
  const { headers, query } = request;
  return {
    authorization: headers.authorization,
    nonce: (query as { g_nonce?: unknown }).g_nonce,
    onKnown: ({ applicationId, appKey }: Pick<Caller, 'applicationId' | 'appKey'>) => {
      noteSubject(request, { appKey });
      noteNamed(request, { applicationId });
    },
  };
}

/** A header that appears twice counts as missing. */
const singleValue = (header: string | string[] | undefined) => (typeof header === 'string' ? header : undefined);
