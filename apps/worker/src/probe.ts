import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Closable, Database, Metrics } from '@lockstep/platform';
import { sql } from 'kysely';

/** Serves /health/live, /health/ready and /metrics of a worker, for what watches it (decisions 9). */
export async function startProbe(db: Database, metrics: Metrics, host: string, port: number): Promise<Closable> {
  const server = createServer((request, response) => {
    answer(request.url ?? '', db, metrics).then(
      ({ status, type, body }) => response.writeHead(status, { 'content-type': type }).end(body),
      () => response.writeHead(503).end(),
    );
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(url: string, db: Database, metrics: Metrics) {
  const json = 'application/json';
  switch (url) {
    case '/health/live':
      return { status: 200, type: json, body: '{"status":"live"}' };
    case '/health/ready':
      await sql`select 1`.execute(db);
      return { status: 200, type: json, body: '{"status":"ready"}' };
    case '/metrics':
      return { status: 200, type: metrics.registry.contentType, body: await metrics.read() };
    default:
      return { status: 404, type: json, body: '{"status":"not found"}' };
  }
}
