import { parseMetrics, sumOf } from './parse-metrics.js';

/** What a gateway says of itself at its operations port, since it was started. */
export interface GatewayState {
  url: string;
  version: string;
  isReady: boolean;
  /** Answers to visitors, and those of them that were 5xx. */
  answers: number;
  failures: number;
  /** Of redirects: upper bounds in seconds, and how many took at most so long. */
  durations: [bound: number, count: number][];
  spooledVisits: number;
  spoolAgeSeconds: number;
  rejectedBytes: number;
}

export type Page = (url: string) => Promise<{ status: number; text: string }>;

const WAIT_MS = 5_000;

/** Undefined: nobody answers there, or no gateway. */
export async function readGateway(url: string, page: Page = fetchPage): Promise<GatewayState | undefined> {
  try {
    const [ready, metrics] = await Promise.all([page(`${url}/readyz`), page(`${url}/metrics`)]);
    const health = JSON.parse(ready.text) as { serviceId?: unknown; version?: unknown };
    if (health.serviceId !== 'hopcount-gateway' || typeof health.version !== 'string') return undefined;
    return { url, version: health.version, isReady: ready.status === 200, ...measured(metrics.text) };
  } catch {
    // It does not answer, or not as a gateway: the caller asks again and says so in the end.
    return undefined;
  }
}

function measured(text: string): Omit<GatewayState, 'url' | 'version' | 'isReady'> {
  const samples = parseMetrics(text);
  const answers = samples.filter(({ name }) => name === 'hopcount_redirects_total');
  const buckets = samples.filter(({ name }) => name === 'hopcount_redirect_duration_seconds_bucket');
  return {
    answers: sumOf(answers),
    failures: sumOf(answers.filter(({ labels }) => labels['status']?.startsWith('5'))),
    durations: buckets.map(({ labels, value }) => [Number(labels['le']?.replace('+Inf', 'Infinity')), value]),
    spooledVisits: sumOf(samples.filter(({ name }) => name === 'hopcount_spool_events')),
    spoolAgeSeconds: sumOf(samples.filter(({ name }) => name === 'hopcount_spool_oldest_age_seconds')),
    rejectedBytes: sumOf(samples.filter(({ name }) => name === 'hopcount_spool_rejected_bytes')),
  };
}

async function fetchPage(url: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(WAIT_MS) });
  return { status: answer.status, text: await answer.text() };
}
