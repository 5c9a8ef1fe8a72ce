import { randomUUID } from 'node:crypto';
import type { CallVerifier, PasswordHasher } from '@lockstep/access';
import type { Region } from '@lockstep/assets';
import { MAX_BODY_BYTES } from '@lockstep/contract';
import type { BatchAcceptor, BatchApplier, BatchCanceller, BatchPreviewer, BatchWatch } from '@lockstep/orders';
import type { Database, Logger, SchemaWatch, TransactionQueue } from '@lockstep/platform';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { BatchReader } from './batch-reader.ts';
import { Bodies } from './bodies.ts';
import { holdToChannels } from './caller.ts';
import { noteCall, observeCalls } from './calls.ts';
import { boundCalls } from './deadlines.ts';
import { publishDocs } from './docs.ts';
import { answerFailure, answerNotFound } from './failures.ts';
import { httpServer } from './http-server.ts';
import type { HttpMetrics } from './metrics.ts';
import { describeOperations } from './openapi.ts';
import { checkRequests } from './request-checks.ts';
import { assetRoutes } from './routes/assets.ts';
import { batchOrderRoutes, cancelRoutes } from './routes/batch-orders.ts';
import { customerRoutes } from './routes/customers.ts';
import { employeeRoutes } from './routes/employees.ts';
import { healthRoutes } from './routes/health.ts';
import { holdingRoutes } from './routes/holdings.ts';
import { resultRoutes } from './routes/results.ts';
import { tokenRoutes } from './routes/token.ts';
import { tokenMetadataRoutes } from './routes/token-metadata.ts';
import { requireSchema } from './schema-gate.ts';
import { checks } from './validation.ts';

/** What the operations work with. */
export interface ServerOptions {
  db: Database;
  log: Logger;
  metrics: HttpMetrics;
  verifier: CallVerifier;
  passwords: PasswordHasher;
  acceptor: BatchAcceptor;
  applier: BatchApplier;
  canceller: BatchCanceller;
  previewer: BatchPreviewer;
  watch: BatchWatch;
  /** Of M4, M9 and M10, in turns of enterprises; of O6 and O7, in turns of applications. */
  holdingChanges: TransactionQueue;
  lockChanges: TransactionQueue;
  region: Region;
  /** Where clients find the service: what the proxy in front answers to; null where nobody said. */
  publicUrl: string | null;
  isQueueReachable: () => Promise<boolean>;
  schema: SchemaWatch;
}

export type Server = FastifyInstance<
  import('node:http').Server,
  import('node:http').IncomingMessage,
  import('node:http').ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

export const ORDER_ROOT = '/order/api/order/v1';
const ME_ROOT = '/me/api/v1';

/** The end of a request that nothing else ends: bodies have limits of their own, with time to wait for room. */
const REQUEST_TIMEOUT_MS = 300_000;
const CALLER_REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/;

/** Builds the HTTP server with every operation; it does not listen yet. */
export async function buildServer(options: ServerOptions): Promise<Server> {
  const server = Fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    // One line a call is written by observeCalls, without the query, which may carry what should not be logged.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    // A target may name its host, as to a proxy (RFC 9112): everything else here knows paths.
    rewriteUrl: ({ url = '/' }) => url.replace(/^https?:\/\/[^/?#]*/i, '') || '/',
    genReqId: ({ headers }) => {
      const given = headers['x-request-id'];
      return typeof given === 'string' && CALLER_REQUEST_ID.test(given) ? given : randomUUID();
    },
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Calls that come on open connections while the server closes are still answered in full.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 512 },
    frameworkErrors: (error, request, reply) => {
      reply.raw.once('close', () => noteCall(options.metrics, request, reply));
      answerFailure(error, request, reply);
    },
    ...httpServer(options.log, options.metrics),
  }).withTypeProvider<ZodTypeProvider>();

  const bodies = new Bodies();
  bodies.readJson(server);
  server.setValidatorCompiler(checks);
  // Answers are ours and typed; the tests hold them against the schemas.
  server.setSerializerCompiler(() => (data) => JSON.stringify(data));
  server.setErrorHandler(answerFailure);
  observeCalls(server, options.metrics);
  boundCalls(server);
  checkRequests(server);
  answerNotFound(server);
  requireSchema(server, options.schema);
  holdToChannels(server);
  await describeOperations(server, options.publicUrl);
  await publishDocs(server);

  const batches = new BatchReader();
  server.addHook('onClose', () => batches.close());

  await server.register(healthRoutes, options);
  await server.register(tokenRoutes, { ...options, bodies });
  await server.register(tokenMetadataRoutes, options);
  await server.register(batchOrderRoutes, { ...options, bodies, batches, prefix: ORDER_ROOT });
  await server.register(cancelRoutes, { ...options, prefix: ORDER_ROOT });
  await server.register(resultRoutes, { ...options, prefix: ORDER_ROOT });
  await server.register(assetRoutes, { ...options, prefix: ORDER_ROOT });
  await server.register(customerRoutes, { ...options, prefix: ORDER_ROOT });
  await server.register(employeeRoutes, { ...options, prefix: ME_ROOT });
  await server.register(holdingRoutes, { ...options, prefix: ME_ROOT });
  return server;
}
