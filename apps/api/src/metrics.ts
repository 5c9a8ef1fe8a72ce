import { addCounter, addHistogram, type Metrics, SECONDS_BUCKETS } from '@lockstep/platform';
import type { Registry } from 'prom-client';

/** The metrics of a process, including those of HTTP calls. docs/runbooks/README.md explains each. */
export type HttpMetrics = Metrics & ReturnType<typeof registerHttpMetrics>;

/** Adds the metrics of HTTP calls to those of a process. Call it once per process. */
export function addHttpMetrics(metrics: Metrics): HttpMetrics {
  return { ...metrics, ...registerHttpMetrics(metrics.registry) };
}

function registerHttpMetrics(registry: Registry) {
  const labels = ['method', 'route', 'code', 'cause'];
  const seconds = 'Duration of HTTP calls, by route and business code; with a cause if the code is 500';
  const unanswered = 'HTTP calls whose client disconnected before the response was sent; their changes stand';
  const refused = 'Connections refused because too many were open';
  return {
    httpSeconds: addHistogram(registry, 'lockstep_http_request_seconds', seconds, SECONDS_BUCKETS, ...labels),
    httpUnanswered: addCounter(registry, 'lockstep_http_unanswered_total', unanswered, ...labels),
    httpConnectionsRefused: addCounter(registry, 'lockstep_http_connections_refused_total', refused),
  };
}
