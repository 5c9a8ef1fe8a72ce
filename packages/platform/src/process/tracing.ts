import { setTimeout as delay } from 'node:timers/promises';
import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  type SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import type { Sampler, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Closable } from './lifecycle.ts';
import type { Logger } from './log.ts';

export { type Span, SpanKind } from '@opentelemetry/api';

/** Which spans are recorded, and where they go. The exporter reads further standard variables itself. */
interface TracingOptions {
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string | undefined;
  OTEL_SDK_DISABLED: boolean;
  OTEL_TRACES_SAMPLER: string;
  OTEL_TRACES_SAMPLER_ARG: number;
}

/** How long a stopping process waits for its last spans to be sent. The SDK would wait longer than a stop may take. */
const FLUSH_MS = 2_000;
const WARN_EVERY_MS = 600_000;
const MAX_LINKS = 32;

/** Does nothing until startTracing has set a provider. */
const tracer = trace.getTracer('lockstep');
let isOn = false;

/** Whether this process records spans. */
export const isTracing = () => isOn;

/**
 * Sends the spans of this process to the OTLP endpoint that the variables name (rules 1.4). Without one, it loads
 * nothing. The SDK keeps at most 2,048 spans to be sent, and drops further ones.
 */
export async function startTracing(options: TracingOptions, serviceName: string, log: Logger): Promise<Closable> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint = base } = options;
  if (endpoint === undefined || options.OTEL_SDK_DISABLED) return { close: async () => {} };
  const sdk = await import('@opentelemetry/sdk-trace');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-proto');
  const resources = await import('@opentelemetry/resources');
  const named = resources.defaultResource().merge(resources.resourceFromAttributes({ 'service.name': serviceName }));
  const provider = new sdk.TracerProvider({
    resource: named.merge(resources.detectResources({ detectors: [resources.envDetector] })),
    sampler: chooseSampler(sdk, options),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: reportFailures(new OTLPTraceExporter(), log) })],
  });
  isOn = trace.setGlobalTracerProvider(provider);
  return {
    close: () => Promise.race([provider.shutdown().catch(() => {}), delay(FLUSH_MS, undefined, { ref: false })]),
  };
}

function chooseSampler(
  sdk: typeof import('@opentelemetry/sdk-trace'),
  { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: TracingOptions,
): Sampler {
  const share = name.endsWith('always_on') ? 1 : name.endsWith('always_off') ? 0 : ratio;
  const root = new sdk.TraceIdRatioBasedSampler(share);
  return name.startsWith('parentbased_') ? new sdk.ParentBasedSampler({ root }) : root;
}

/** Logs that spans were not sent, at most once in ten minutes. */
function reportFailures(exporter: SpanExporter, log: Logger): SpanExporter {
  let quietUntilMs = 0;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error !== undefined && performance.now() > quietUntilMs) {
          quietUntilMs = performance.now() + WARN_EVERY_MS;
          log.warn({ err: result.error }, 'trace export failed; dropping spans');
        }
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}

/** The W3C trace context. Versions after 00 may have more parts. */
const TRACEPARENT = /^(?!ff|00.{53}-)[\da-f]{2}-((?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** Returns the trace context of a header `traceparent`, as version 00 writes it; null if it is absent or invalid. */
export function readTraceparent(header: unknown): string | null {
  const [, ids, flags] = TRACEPARENT.exec(String(header)) ?? [];
  return ids === undefined ? null : `00-${ids}-0${Number.parseInt(flags!, 16) & TraceFlags.SAMPLED}`;
}

/** Reads what readTraceparent or traceparentOf has returned. */
function contextOf(traceparent: string): SpanContext {
  const [, traceId, spanId, flags] = traceparent.split('-') as [string, string, string, string];
  return { traceId, spanId, traceFlags: Number(flags), isRemote: true };
}

/** Returns the trace context to send on from a span: its own if it is recorded, otherwise the one that led to it. */
export function traceparentOf(span: Span | undefined, given: string | null): string | null {
  if (!span?.isRecording()) return given;
  const { traceId, spanId } = span.spanContext();
  return `00-${traceId}-${spanId}-01`;
}

interface SpanOptions {
  kind?: SpanKind;
  parent?: Span | string | null | undefined;
  /** Trace contexts of recorded spans that led to it. It gets the first 32. */
  links?: readonly string[];
  attributes?: Attributes;
  /** A time of performance.now; by default the present. */
  startTime?: number;
}

/** Starts a span. */
export function startSpan(name: string, { parent, links = [], ...options }: SpanOptions): Span {
  // No part of a span that is not recorded is recorded either.
  if (typeof parent === 'object' && parent?.isRecording() === false) return parent;
  const above = typeof parent === 'string' ? contextOf(parent) : parent?.spanContext();
  return tracer.startSpan(
    name,
    { ...options, links: links.slice(0, MAX_LINKS).map((each) => ({ context: contextOf(each) })) },
    above === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, above),
  );
}

/**
 * Ends a span, at a time of performance.now. `error`: what went wrong, or a word for it; null if nothing did. The span
 * has only its type, because messages quote data.
 */
export function endSpan(span: Span, error: unknown = null, endMs = performance.now()): void {
  if (!span.isRecording()) return;
  if (error !== null) {
    const { reason, code, name } = error as { reason?: unknown; code?: unknown; name?: unknown };
    const type = typeof error === 'string' ? error : String(reason ?? code ?? name);
    span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end(endMs);
}
