import { type Metrics, SECONDS_BUCKETS } from '@lockstep/platform';
import { Counter, Histogram, type Registry } from 'prom-client';

/** The metrics of a process, including those of HTTP calls. docs/runbooks/README.md explains each. */
export type HttpMetrics = Metrics & ReturnType<typeof registerHttpMetrics>;

/** Adds the metrics of HTTP calls to those of a process. Call it once per process. */
export function addHttpMetrics(metrics: Metrics): HttpMetrics {
  return { ...metrics, ...registerHttpMetrics(metrics.registry) };
}

function registerHttpMetrics(registry: Registry) {
  const registers = [registry];
  return {
    httpSeconds: new Histogram({
      name: 'lockstep_http_request_seconds',
      help: 'Duration of HTTP calls, by route and business code',
      labelNames: ['method', 'route', 'code'],
      buckets: SECONDS_BUCKETS,
      registers,
    }),
    httpUnanswered: new Counter({
      name: 'lockstep_http_unanswered_total',
      help: 'HTTP calls whose client disconnected before the response was sent; their changes stand',
      labelNames: ['method', 'route', 'code'],
      registers,
    }),
    httpConnectionsRefused: new Counter({
      name: 'lockstep_http_connections_refused_total',
      help: 'Connections refused because too many were open',
      registers,
    }),
  };
}
