import type { FastifyInstance } from 'fastify';
import type { ServerOptions } from '../options.ts';
import { findFault } from '../readiness.ts';

const QUEUE_LOOK_EVERY_MS = 1_000;

/** Registers /health/live, /health/ready and /metrics (rules 9). */
export async function healthRoutes(server: FastifyInstance, options: ServerOptions): Promise<void> {
  const { metrics, schema } = options;
  const hidden = { schema: { hide: true }, config: { isProbe: true } };
  const isQueueReachable = atMostEvery(QUEUE_LOOK_EVERY_MS, () => options.queue.isReachable());

  server.get('/health/live', hidden, async () => ({ status: 'live' }));

  server.get('/health/ready', hidden, async (_request, reply) => {
    const { isReachable } = await schema.health();
    const reason = await findFault(options);
    const database = isReachable ? 'up' : 'down';
    const queue = (await isQueueReachable()) ? 'up' : 'down';
    return reason === null
      ? reply.send({ status: 'ready', database, queue })
      : reply.code(503).send({ status: 'unavailable', database, queue, reason });
  });

  server.get('/metrics', hidden, async (_request, reply) => {
    reply.type(metrics.registry.contentType);
    return reply.send(await metrics.read());
  });
}

/** Returns a function that calls `ask` at most every `intervalMs`, and returns the last answer in between. */
function atMostEvery<Answer>(intervalMs: number, ask: () => Promise<Answer>): () => Promise<Answer> {
  let answer: Promise<Answer> | undefined;
  let goodUntilMs = 0;
  return () => {
    if (answer === undefined || performance.now() >= goodUntilMs) {
      answer = ask();
      goodUntilMs = performance.now() + intervalMs;
    }
    return answer;
  };
}
