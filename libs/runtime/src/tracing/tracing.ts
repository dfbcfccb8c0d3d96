import { z } from 'zod';

import type { Logger } from '../logger.js';
import { type EndedSpan, LocalTrace, type RootOptions, type SamplingRule } from './local-trace.js';

export const traceSettings = () => ({
  /** Where traces go: `http://zipkin:9411/api/v2/spans`, or OTLP over HTTP (`http://collector:4318/v1/traces`). Unset: there are none. */
  TRACES_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** OpenTelemetry's own name for it; TRACES_URL decides. */
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  /** One of so many traces is kept whatever it tells; the same everywhere. */
  TRACES_ONE_IN: z.coerce.number().int().positive().default(100),
  /** A request or a batch that took so long is kept, and one that failed. */
  TRACES_SLOW_MS: z.coerce.number().int().positive().default(500),
});

export interface TraceSettings {
  tracesUrl?: string | undefined;
  otelExporterOtlpTracesEndpoint?: string | undefined;
  tracesOneIn: number;
  tracesSlowMs: number;
  hopcountVersion: string;
}

/** Whatever makes spans known elsewhere. */
export interface SpanSink {
  take(spans: readonly EndedSpan[]): void;
  close(): Promise<void>;
}

/** Kept traces of a second: what visitors send decides ids and failures, not how much is sent on. */
const KEPT_PER_SECOND = 100;

/** Begins traces; each decides at its end whether anybody is told of it. */
export class Tracing {
  readonly #rule: SamplingRule;
  #second = 0;
  #keptInSecond = 0;

  constructor(
    settings: Pick<TraceSettings, 'tracesOneIn' | 'tracesSlowMs'>,
    private readonly sink: SpanSink,
    private readonly now: () => number = Date.now,
  ) {
    this.#rule = { oneIn: settings.tracesOneIn, slowMs: settings.tracesSlowMs };
  }

  start(name: string, options: RootOptions): LocalTrace {
    return new LocalTrace(name, options, this.#rule, (spans) => this.#keep(spans));
  }

  /** Also sends what is left. */
  close(): Promise<void> {
    return this.sink.close();
  }

  #keep(spans: readonly EndedSpan[]): void {
    const second = Math.floor(this.now() / 1_000);
    if (second !== this.#second) [this.#second, this.#keptInSecond] = [second, 0];
    if (this.#keptInSecond >= KEPT_PER_SECOND) return;
    this.#keptInSecond += 1;
    this.sink.take(spans);
  }
}

/** Undefined unless an address is set; then OpenTelemetry's SDK is loaded, and not before. */
export async function openTracing(
  settings: TraceSettings,
  about: { process: string; logger: Logger },
): Promise<Tracing | undefined> {
  const url = settings.tracesUrl ?? settings.otelExporterOtlpTracesEndpoint;
  if (url === undefined) return undefined;
  const { openTelemetrySink } = await import('./open-telemetry-sink.js');
  const service = { name: `hopcount-${about.process}`, version: settings.hopcountVersion };
  return new Tracing(settings, await openTelemetrySink(url, service, about.logger));
}
