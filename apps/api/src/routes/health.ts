import type { FastifyInstance } from 'fastify';
import type { ServerOptions } from '../server-options.ts';

const QUEUE_LOOK_EVERY_MS = 1_000;

/** /health/live, /health/ready and /metrics (decisions 9). */
export async function healthRoutes(server: FastifyInstance, options: ServerOptions): Promise<void> {
  const { metrics, schema } = options;
  const hidden = { schema: { hide: true }, config: { isProbe: true } };
  const isQueueReachable = atMostEvery(QUEUE_LOOK_EVERY_MS, options.isQueueReachable);

  server.get('/health/live', hidden, async () => ({ status: 'live' }));

  // Without its queue the API still accepts orders, and the sweep applies them: only the database and its schema decide.
  server.get('/health/ready', hidden, async (_request, reply) => {
    const { isReachable, reason } = await schema.health();
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

/** The same question, asked again `intervalMs` after it was asked at the earliest; till then its answer stands. */
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
