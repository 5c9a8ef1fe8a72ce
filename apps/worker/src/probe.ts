import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Closable, Database, Metrics } from '@lockstep/platform';
import { sql } from 'kysely';
import type { RunningWorker } from './worker.ts';

interface ProbeOptions {
  db: Database;
  metrics: Metrics;
  worker: RunningWorker;
  host: string;
  port: number;
}

/** Serves /health/live, /health/ready and /metrics of a worker, for what watches it (decisions 9). */
export async function startProbe(options: ProbeOptions): Promise<Closable> {
  const server = createServer((request, response) => {
    answer(request.url ?? '', options).then(
      ({ status, type, body }) => response.writeHead(status, { 'content-type': type }).end(body),
      () => response.writeHead(503).end(),
    );
  });
  server.listen(options.port, options.host);
  await once(server, 'listening');
  return {
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(url: string, { db, metrics, worker }: ProbeOptions) {
  const json = 'application/json';
  switch (url) {
    case '/health/live':
      return { status: 200, type: json, body: '{"status":"live"}' };
    case '/health/ready': {
      await sql`select 1`.execute(db);
      const reason = worker.stalledBy();
      if (reason !== null) return { status: 503, type: json, body: JSON.stringify({ status: 'unavailable', reason }) };
      return { status: 200, type: json, body: '{"status":"ready"}' };
    }
    case '/metrics':
      return { status: 200, type: metrics.registry.contentType, body: await metrics.registry.metrics() };
    default:
      return { status: 404, type: json, body: '{"status":"not found"}' };
  }
}
