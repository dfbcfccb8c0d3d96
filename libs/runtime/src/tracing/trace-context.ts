const TRACEPARENT = /^00-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})$/;
const SAMPLED = 1;

/** Where a span stands, as the W3C header `traceparent` says it. */
export interface TraceContext {
  traceId: string;
  spanId: string;
  isSampled: boolean;
}

export function readTraceparent(header: string | undefined): TraceContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(header ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, isSampled: (parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

export function writeTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/** The same for a trace in every process, so that all of it is kept or none; ids end in random bits. */
export function isOneIn(oneIn: number, traceId: string): boolean {
  return parseInt(traceId.slice(-8), 16) % oneIn === 0;
}
