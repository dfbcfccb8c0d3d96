import type { SpanOptions } from '@opentelemetry/api';
import type { IdGenerator, SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';

import type { Logger } from '../logger.js';
import type { EndedSpan } from './local-trace.js';
import type { SpanSink } from './tracing.js';

const ZIPKIN = /\/api\/v2\/spans$/;
const LIMITS = { maxQueueSize: 2_048, scheduledDelayMillis: 1_000, exportTimeoutMillis: 5_000 };
const CLOSE_WITHIN_MS = 2_000;

/** Gives each span the ids it has had since it began: they are in headers already. */
class KnownIds implements IdGenerator {
  traceId = '';
  spanId = '';
  readonly generateTraceId = () => this.traceId;
  readonly generateSpanId = () => this.spanId;
}

/**
 * OpenTelemetry's SDK: batches of finished spans, to Zipkin or by OTLP. What it cannot send is dropped, and said once.
 * Imported here, when asked for: a bundle would load what stands at the top of a file at every start.
 */
export async function openTelemetrySink(
  url: string,
  service: { name: string; version: string },
  logger: Logger,
): Promise<SpanSink> {
  const { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } = await import('@opentelemetry/sdk-trace');
  const { resourceFromAttributes } = await import('@opentelemetry/resources');
  const ids = new KnownIds();
  const exporter = saying(await exporterTo(url), logger);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service.name, 'service.version': service.version }),
    // What comes here is kept.
    sampler: new AlwaysOnSampler(),
    idGenerator: ids,
    spanProcessors: [new BatchSpanProcessor({ exporter, ...LIMITS })],
  });
  const take = await taker(provider, ids);
  return {
    take: (spans) => spans.forEach(take),
    close: async () => {
      const late = new Promise((done) => setTimeout(done, CLOSE_WITHIN_MS).unref());
      // Traces are best effort: the process ends without the last ones.
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
    },
  };
}

async function exporterTo(url: string): Promise<SpanExporter> {
  if (ZIPKIN.test(new URL(url).pathname)) {
    const { ZipkinExporter } = await import('@opentelemetry/exporter-zipkin');
    return new ZipkinExporter({ url });
  }
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  return new OTLPTraceExporter({ url });
}

async function taker(provider: TracerProvider, ids: KnownIds): Promise<(span: EndedSpan) => void> {
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } = await import('@opentelemetry/api');
  const kinds = {
    server: SpanKind.SERVER,
    producer: SpanKind.PRODUCER,
    consumer: SpanKind.CONSUMER,
    internal: SpanKind.INTERNAL,
  };
  const sampled = { traceFlags: TraceFlags.SAMPLED };
  const tracer = provider.getTracer('hopcount');
  return ({ name, kind, traceId, spanId, parentId, startedMs, endedMs, attributes, failure, links }) => {
    [ids.traceId, ids.spanId] = [traceId, spanId];
    const options: SpanOptions = { kind: kinds[kind], startTime: wholeMicros(startedMs), attributes };
    options.links = links.map((link) => ({ context: { traceId: link.traceId, spanId: link.spanId, ...sampled } }));
    const parent = parentId === undefined ? undefined : { traceId, spanId: parentId, ...sampled, isRemote: true };
    const below = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    const span = tracer.startSpan(name, options, below);
    if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
    span.end(wholeMicros(endedMs));
  };
}

/** Seconds and nanoseconds: Zipkin refuses what is no whole number of microseconds. */
function wholeMicros(ms: number): [number, number] {
  const micros = Math.round(ms * 1_000);
  return [Math.floor(micros / 1_000_000), (micros % 1_000_000) * 1_000];
}

function saying(exporter: SpanExporter, logger: Logger): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error !== undefined) logger.warn({ err: result.error }, 'traces are not taken');
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}
