import { randomUUID } from 'node:crypto';
import type { Caller } from '@lockstep/access';
import { MAX_BODY_BYTES, type MemberOperationId, type OrderOperationId, Refusal } from '@lockstep/contract';
import type { Actor } from '@lockstep/members';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { BatchReader, Bodies } from './calls/bodies.ts';
import { actorOf, authorizeAdministrators, authorizeApplications, callerOf } from './calls/caller.ts';
import { boundCalls, observeCalls, recordCall } from './calls/calls.ts';
import {
  brokenRule,
  CONNECTION_OPTIONS,
  continueCalls,
  guardConnections,
  isUnfinished,
  refuseUnreadable,
} from './calls/connections.ts';
import { allowExports } from './calls/exports.ts';
import { addOperations, checks, checksAllButBody } from './calls/operation-routes.ts';
import { consolePages } from './console/pages.ts';
import { consoleModule } from './console/routes/index.ts';
import { publishDocs } from './description/docs.ts';
import { answerFailure, answerNotFound, refuseCall } from './failures.ts';
import { frontPage } from './front-page.ts';
import { assetHandlers, customerHandlers } from './routes/assets.ts';
import { type BatchOperationId, batchOrderRoutes } from './routes/batch-orders.ts';
import { healthRoutes, requireSchema } from './routes/health.ts';
import { additionHandlers, memberHandlers } from './routes/members.ts';
import { resultHandlers } from './routes/results.ts';
import { tokenMetadataRoutes, tokenRoutes } from './routes/token.ts';
import { webhookHandlers } from './routes/webhooks.ts';
import type { Services } from './services.ts';

const CALLER_REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/;

/** Builds the HTTP server with every operation. It does not listen yet. */
export async function buildServer(services: Omit<Services, 'bodies' | 'batches'>): Promise<FastifyInstance> {
  const options: Services = { ...services, bodies: new Bodies(), batches: new BatchReader() };
  const server = Fastify({
    ...CONNECTION_OPTIONS,
    loggerInstance: options.log as FastifyBaseLogger,
    // observeCalls writes one line per call, without the query, which can contain secrets.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: ({ headers }) => {
      const given = headers['x-request-id'];
      return typeof given === 'string' && CALLER_REQUEST_ID.test(given) ? given : randomUUID();
    },
    bodyLimit: MAX_BODY_BYTES,
    // Answers calls that arrive on open connections while the server closes.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 512 },
    frameworkErrors: (error, request, reply) => {
      reply.raw.once('close', () => recordCall(options.metrics, request, reply));
      if (isUnfinished(request.raw)) reply.header('connection', 'close');
      answerFailure(error, request, reply);
    },
    clientErrorHandler: (error, socket) => refuseUnreadable(options, error, socket),
  });

  guardConnections(server, options);
  // Each plugin that accepts bodies registers how to read them.
  server.removeAllContentTypeParsers();
  server.setValidatorCompiler(checks);
  // Answers are typed, and tests check them against the schemas.
  server.setSerializerCompiler(() => (data) => JSON.stringify(data));
  server.setErrorHandler(answerFailure);
  observeCalls(server, options.metrics);
  boundCalls(server, options.db);
  server.addHook('onRequest', async (request, reply) => {
    const cause = brokenRule(request);
    if (cause !== undefined) refuseCall(request, reply.header('connection', 'close'), new Refusal(cause));
  });
  answerNotFound(server);
  requireSchema(server, options.schema);
  continueCalls(server);
  allowExports(server);
  server.decorate('refusals', options.refusals);
  server.decorate('repeats', options);
  server.addHook('preClose', async () => options.bodies.close());

  await server.register(openRoutes, options);
  await server.register(orderModule, options);
  await server.register(memberModule, options);
  await server.register(consoleModule, options);
  await server.register(consolePages, options);
  return server;
}

/** Registers the order module. Every route needs an application with the scope auth_order. */
async function orderModule(server: FastifyInstance, options: Services): Promise<void> {
  authorizeApplications(server, options.verifier);
  options.bodies.readJson(server, (request) => callerOf(request).applicationId);
  await server.register(batchOrderRoutes, options);
  addOperations<Exclude<OrderOperationId, BatchOperationId>, Caller>(
    server,
    {
      ...resultHandlers(options),
      ...assetHandlers(options),
      ...customerHandlers,
      ...webhookHandlers(options),
    },
    callerOf,
  );
}

/** Registers the member center. Every route needs an administrator of an enterprise. */
async function memberModule(server: FastifyInstance, options: Services): Promise<void> {
  authorizeAdministrators(server, options.verifier);
  options.bodies.readJson(server, (request) => actorOf(request).applicationId);
  await server.register(async (additions) => {
    // Faults of one employee do not refuse the call, so the handler checks the body.
    additions.setValidatorCompiler(checksAllButBody);
    addOperations<'addEmployees', Actor>(additions, additionHandlers(options), actorOf);
  });
  addOperations<Exclude<MemberOperationId, 'addEmployees'>, Actor>(server, memberHandlers(options), actorOf);
}

/**
 * Registers the routes without credentials: front page, documentation, health, metrics, and the token endpoint, which
 * checks credentials itself.
 */
async function openRoutes(server: FastifyInstance, options: Services): Promise<void> {
  await publishDocs(server, options);
  await server.register(frontPage);
  await server.register(healthRoutes, options);
  await server.register(tokenRoutes, options);
  await server.register(tokenMetadataRoutes, options);
}
