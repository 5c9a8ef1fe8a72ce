import { Refusal } from '@lockstep/contract';
import { type SchemaWatch, share } from '@lockstep/platform';
import type { FastifyInstance } from 'fastify';
import type { Services } from '../services.ts';

/** Registers /health/live, /health/ready and /metrics (rules 9). */
export async function healthRoutes(server: FastifyInstance, options: Services): Promise<void> {
  const { metrics, schema } = options;
  const probe = { config: { isProbe: true } };
  const isQueueReachable = share(() => options.queue.isReachable());

  server.get('/health/live', probe, async () => ({ status: 'live' }));

  server.get('/health/ready', probe, async (_request, reply) => {
    const { isReachable } = await schema.health();
    const reason = await findFault(options);
    const database = isReachable ? 'up' : 'down';
    const queue = (await isQueueReachable()) ? 'up' : 'down';
    return reason === null
      ? reply.send({ status: 'ready', database, queue })
      : reply.code(503).send({ status: 'unavailable', database, queue, reason });
  });

  server.get('/metrics', probe, async (_request, reply) => {
    reply.type(metrics.registry.contentType);
    return reply.send(await metrics.read());
  });
}

/** The fault until the service is prepared. */
const STARTING = 'the service is starting';

/**
 * Returns why operations would fail; null if the service is ready. Only the database decides, by its schema and by
 * whether it accepts writes. Without the queue, the API still accepts orders, and the sweep applies them.
 */
async function findFault({ schema, writes, isPrepared }: Services): Promise<string | null> {
  const { reason } = await schema.health();
  return reason ?? writes.findFault() ?? (isPrepared() ? null : STARTING);
}

/**
 * Refuses every operation with service_unavailable until all migrations of this release have run. Health, metrics and
 * documentation still work.
 */
export function requireSchema(server: FastifyInstance, schema: SchemaWatch): void {
  server.addHook('onRequest', async ({ routeOptions }) => {
    const { operationId, consoleOperationId } = routeOptions.config;
    const isOperation = operationId !== undefined || consoleOperationId !== undefined;
    if (isOperation && !(await schema.isCurrent())) throw new Refusal('service_unavailable');
  });
}
