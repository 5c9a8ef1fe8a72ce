import { endSpan, readTraceparent, type Span, SpanKind, startSpan, traceparentOf } from '@lockstep/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The span of a call of an operation. */
    span?: Span;
  }
}

/** Starts the span of a call of an operation (rules 1.4). Probes, pages and unknown paths have none. */
export function startCallSpan(request: FastifyRequest): void {
  const { operationId, consoleOperationId: name = operationId } = request.routeOptions.config;
  if (name === undefined) return;
  request.span = startSpan(name, { kind: SpanKind.SERVER, parent: readTraceparent(request.headers.traceparent) });
}

/** Ends the span of a call. Returns its trace id; undefined if it was not recorded. */
export function endCallSpan(
  { span, id, method, routeOptions }: FastifyRequest,
  { statusCode }: FastifyReply,
  { code, cause, appKey, batchId }: { code: string; cause?: string | undefined; appKey?: string; batchId?: string },
): string | undefined {
  if (!span?.isRecording()) return undefined;
  // Not the path and the query, which name persons and carry secrets.
  const http = {
    'http.request.method': method,
    'http.route': routeOptions.url,
    'http.response.status_code': statusCode,
  };
  const ids = { 'lockstep.request_id': id, 'lockstep.app_key': appKey, 'lockstep.batch_id': batchId };
  span.setAttributes({ ...http, ...ids, 'lockstep.code': code, 'lockstep.cause': cause });
  // Any other code is the client's fault.
  endSpan(span, code === '500' ? (cause ?? code) : null);
  return span.spanContext().traceId;
}

/**
 * Accepts the batch of a call, in a span of its own. `accept` gets what is stored of the call: its request id, and the
 * trace context that continues in drains and webhooks.
 */
export async function acceptTraced<Result>(
  { span, id, headers }: FastifyRequest,
  accept: (call: { requestId: string; traceparent: string | null }) => Promise<Result>,
): Promise<Result> {
  const accepting = startSpan('accept', { parent: span });
  let error: unknown = null;
  try {
    return await accept({ requestId: id, traceparent: traceparentOf(span, readTraceparent(headers.traceparent)) });
  } catch (thrown) {
    error = thrown;
    throw thrown;
  } finally {
    endSpan(accepting, error);
  }
}
