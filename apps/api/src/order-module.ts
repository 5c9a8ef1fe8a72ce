import type { Caller } from '@lockstep/access';
import type { OrderOperationId } from '@lockstep/contract';
import type { FastifyInstance } from 'fastify';
import type { BatchReader } from './batch-reader.ts';
import type { Bodies } from './bodies.ts';
import { authorizeApplications, callerOf } from './caller.ts';
import { addOperations } from './operation-routes.ts';
import { assetTraceHandlers } from './routes/asset-traces.ts';
import { assetHandlers } from './routes/assets.ts';
import { type BatchOperationId, batchOrderRoutes } from './routes/batch-orders.ts';
import { cancelHandlers } from './routes/cancel.ts';
import { customerHandlers } from './routes/customers.ts';
import { eventHandlers } from './routes/events.ts';
import { failedOrderHandlers } from './routes/failed-orders.ts';
import { listHandlers } from './routes/lists.ts';
import { resultHandlers } from './routes/results.ts';
import { webhookHandlers } from './routes/webhooks.ts';
import type { ServerOptions } from './server-options.ts';

/** The order module: every route in here is for an application with the scope auth_order, and for nobody else. */
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
