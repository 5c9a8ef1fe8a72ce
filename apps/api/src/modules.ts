import type { Caller } from '@lockstep/access';
import type { MemberOperationId, OrderOperationId } from '@lockstep/contract';
import type { Actor } from '@lockstep/members';
import type { FastifyInstance } from 'fastify';
import type { BatchReader, Bodies } from './bodies.ts';
import { actorOf, authorizeAdministrators, authorizeApplications, callerOf } from './calls/caller.ts';
import { addOperations, checksAllButBody } from './calls/operation-routes.ts';
import { frontDoor } from './front-door/front-door.ts';
import type { ServerOptions } from './options.ts';
import { publishDocs } from './reference/docs.ts';
import { assetHandlers, assetTraceHandlers, customerHandlers } from './routes/assets.ts';
import { type BatchOperationId, batchOrderRoutes } from './routes/batch-orders.ts';
import { healthRoutes } from './routes/health.ts';
import { additionHandlers, employeeHandlers, holdingHandlers } from './routes/members.ts';
import { cancelHandlers, eventHandlers, failedOrderHandlers, listHandlers, resultHandlers } from './routes/results.ts';
import { tokenMetadataRoutes, tokenRoutes } from './routes/token.ts';
import { webhookHandlers } from './routes/webhooks.ts';

/** Registers the order module. Every route needs an application with the scope auth_order. */
export async function orderModule(
  server: FastifyInstance,
  { bodies, batches, ...options }: ServerOptions & { bodies: Bodies; batches: BatchReader },
): Promise<void> {
  authorizeApplications(server, options.verifier);
  bodies.readJson(server, (request) => callerOf(request).applicationId);
  await server.register(batchOrderRoutes, { ...options, bodies, batches });
  addOperations<Exclude<OrderOperationId, BatchOperationId>, Caller>(
    server,
    {
      ...cancelHandlers(options),
      ...resultHandlers(options),
      ...eventHandlers(options),
      ...listHandlers(options),
      ...failedOrderHandlers(options),
      ...assetHandlers(options),
      ...assetTraceHandlers(options),
      ...customerHandlers,
      ...webhookHandlers(options),
    },
    callerOf,
  );
}

/** Registers the member center. Every route needs an administrator of an enterprise. */
export async function memberModule(
  server: FastifyInstance,
  { bodies, ...options }: ServerOptions & { bodies: Bodies },
): Promise<void> {
  authorizeAdministrators(server, options.verifier);
  bodies.readJson(server, (request) => actorOf(request).applicationId);
  await server.register(async (additions) => {
    // Faults of one employee do not refuse the call, so the handler checks the body.
    additions.setValidatorCompiler(checksAllButBody);
    addOperations<'addEmployees', Actor>(additions, additionHandlers(options), actorOf);
  });
  addOperations<Exclude<MemberOperationId, 'addEmployees'>, Actor>(
    server,
    { ...employeeHandlers(options), ...holdingHandlers(options) },
    actorOf,
  );
}

/**
 * Registers the routes without credentials: front door, documentation, health, metrics, and the token endpoint, which
 * checks credentials itself.
 */
export async function openRoutes(server: FastifyInstance, options: ServerOptions & { bodies: Bodies }): Promise<void> {
  await publishDocs(server, options);
  await server.register(frontDoor, options);
  await server.register(healthRoutes, options);
  await server.register(tokenRoutes, options);
  await server.register(tokenMetadataRoutes, options);
}
