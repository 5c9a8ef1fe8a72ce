import { share } from '@lockstep/platform';
import type { FastifyInstance } from 'fastify';
import type { ServerOptions } from '../options.ts';
import { findFault } from '../readiness.ts';

/** Registers /health/live, /health/ready and /metrics (rules 9). */
export async function healthRoutes(server: FastifyInstance, options: ServerOptions): Promise<void> {
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
