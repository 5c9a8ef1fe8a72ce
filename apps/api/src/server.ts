import { randomUUID } from 'node:crypto';
import { MAX_BODY_BYTES } from '@lockstep/contract';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { BatchReader, Bodies } from './bodies.ts';
import { boundCalls, observeCalls, recordCall } from './calls/calls.ts';
import { checks } from './calls/operation-routes.ts';
import { endSilentConnections, isUnfinished, Lingering } from './connections.ts';
import { consolePages } from './console/pages.ts';
import { consoleModule } from './console/routes/index.ts';
import { answerFailure, answerNotFound } from './failures.ts';
import { checkRequests, httpServer } from './http-server.ts';
import { memberModule, openRoutes, orderModule } from './modules.ts';
import type { ServerOptions } from './options.ts';
import { requireSchema } from './readiness.ts';
import { describeOperations } from './reference/openapi.ts';

/** Ends a request that no other limit ends. Bodies have limits of their own. */
const REQUEST_TIMEOUT_MS = 300_000;
const CALLER_REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/;

/** Builds the HTTP server with every operation. It does not listen yet. */
export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const lingering = new Lingering();
  const server = Fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    // observeCalls writes one line per call, without the query, which can contain secrets.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: ({ headers }) => {
      const given = headers['x-request-id'];
      return typeof given === 'string' && CALLER_REQUEST_ID.test(given) ? given : randomUUID();
    },
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
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
    ...httpServer(options.log, options.metrics, lingering),
  });

  // Each plugin that accepts bodies registers how to read them.
  server.removeAllContentTypeParsers();
  server.setValidatorCompiler(checks);
  // Answers are typed, and tests check them against the schemas.
  server.setSerializerCompiler(() => (data) => JSON.stringify(data));
  server.setErrorHandler(answerFailure);
  observeCalls(server, options.metrics);
  boundCalls(server, options.db);
  checkRequests(server);
  answerNotFound(server);
  requireSchema(server, options.schema);
  const endSilent = endSilentConnections(server.server);
  const bodies = new Bodies(options.inFlight);
  server.addHook('preClose', async () => {
    endSilent();
    bodies.close();
    lingering.close();
  });
  await describeOperations(server, options.publicUrl);

  const batches = new BatchReader();
  const moduleOptions = { ...options, bodies, batches };
  await server.register(openRoutes, moduleOptions);
  await server.register(orderModule, moduleOptions);
  await server.register(memberModule, moduleOptions);
  await server.register(consoleModule, moduleOptions);
  await server.register(consolePages, moduleOptions);
  return server;
}
