import type { Caller, CallVerifier } from '@lockstep/access';
import type { Scope } from '@lockstep/contract';
import type { FastifyRequest } from 'fastify';

const callers = new WeakMap<FastifyRequest, Caller>();

/**
 * A hook that verifies the call before its body is read (decisions 2 and 3). Register it on every operation's route;
 * `callerOf` throws on one that lacks it.
 */
export function authorize(verifier: CallVerifier, scope: Scope) {
  return async (request: FastifyRequest): Promise<void> => {
    const nonce = (request.query as { g_nonce?: unknown }).g_nonce;
    callers.set(request, await verifier.verify({ authorization: request.headers.authorization, scope, nonce }));
  };
}

/** Who makes a call that `authorize` has verified. */
export function callerOf(request: FastifyRequest): Caller {
  const caller = callers.get(request);
  if (caller === undefined) throw new Error(`${request.routeOptions.url} is served without authorize`);
  return caller;
}
