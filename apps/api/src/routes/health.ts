import { sql } from 'kysely';
import type { Server, ServerOptions } from '../server.ts';

/** /health/live, /health/ready and /metrics (decisions 9). */
export async function healthRoutes(server: Server, { db, metrics, isQueueReachable }: ServerOptions): Promise<void> {
  const schema = { hide: true };

  server.get('/health/live', { schema }, async () => ({ status: 'live' }));

  // Without its queue the API still accepts orders, and the sweep applies them: only the database decides.
  server.get('/health/ready', { schema }, async (_request, reply) => {
    const [database, queue] = await Promise.all([
      sql`select 1`.execute(db).then(
        () => 'up',
        () => 'down',
      ),
      isQueueReachable().then((reachable) => (reachable ? 'up' : 'down')),
    ]);
    return reply
      .code(database === 'up' ? 200 : 503)
      .send({ status: database === 'up' ? 'ready' : 'unavailable', database, queue });
  });

  server.get('/metrics', { schema }, async (_request, reply) => {
    reply.type(metrics.registry.contentType);
    return reply.send(await metrics.read());
  });
}
