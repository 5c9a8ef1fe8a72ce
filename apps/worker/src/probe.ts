import { once } from 'node:events';
import { createServer } from 'node:http';
import { explainListenFault } from '@lockstep/config';
import type { Closable, Metrics, ReadinessCheck } from '@lockstep/platform';

/**
 * Serves /health/live, /health/ready and /metrics of a worker (rules 9). The worker is ready if every check returns
 * null. Each request runs the checks, so they must be cheap.
 */
export async function startProbe(
  checks: readonly ReadinessCheck[],
  metrics: Metrics,
  host: string,
  port: number,
): Promise<Closable> {
  const server = createServer((request, response) => {
    answer(request.url ?? '', checks, metrics).then(
      ({ status, type, body }) => response.writeHead(status, { 'content-type': type }).end(body),
      () => response.writeHead(503).end(),
    );
  });
  server.listen(port, host);
  await once(server, 'listening').catch((error: unknown) => {
    throw explainListenFault(error, host, port, 'WORKER_PORT');
  });
  return {
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(url: string, checks: readonly ReadinessCheck[], metrics: Metrics) {
  const json = 'application/json';
  switch (url) {
    case '/health/live':
      return { status: 200, type: json, body: '{"status":"live"}' };
    case '/health/ready': {
      const reasons = (await Promise.all(checks.map((check) => check()))).filter((reason) => reason !== null);
      if (reasons.length === 0) return { status: 200, type: json, body: '{"status":"ready"}' };
      return { status: 503, type: json, body: JSON.stringify({ status: 'unavailable', reason: reasons.join('; ') }) };
    }
    case '/metrics':
      return { status: 200, type: metrics.registry.contentType, body: await metrics.read() };
    default:
      return { status: 404, type: json, body: '{"status":"not found"}' };
  }
}
