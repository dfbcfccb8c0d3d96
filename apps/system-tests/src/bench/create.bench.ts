import { setTimeout as sleep } from 'node:timers/promises';

import type { ShortUrl, ShortUrlBatch } from '@hopcount/contracts';

import { call, keepAliveAgent } from '../harness/http.js';
import type { BenchStack } from './bench-stack.js';
import { percentile, spreadOf } from './numbers.js';
import type { Section } from './report.js';

const RATE = 200;
const WARM_UP_SECONDS = 5;
const SECONDS = 15;
const CONNECTIONS = 64;
const BATCH_LINKS = 1_000;
const BATCHES = 5;
/** Tells the links of this benchmark from others. */
const TARGET = 'https://create.example/';

/** (h) Creating links over HTTP at a steady rate; batches. */
export async function benchCreate(bench: BenchStack): Promise<Section> {
  const samples = { p50: [] as number[], p99: [] as number[], keyed: [] as number[], batch: [] as number[] };
  const { processes } = await bench.stack.read();
  bench.measured.push({ what: 'api', pid: processes.api[0] ?? 0 });
  const started = await createSteadily(bench, WARM_UP_SECONDS, 'warm-up', false);
  for (let run = 1; run <= bench.runs; run += 1) {
    const plain = await createSteadily(bench, SECONDS, `run-${run}`, false);
    const keyed = await createSteadily(bench, SECONDS, `keyed-${run}`, true);
    samples.p50.push(percentile(plain, 50));
    samples.p99.push(percentile(plain, 99));
    samples.keyed.push(percentile(keyed, 99));
    samples.batch.push(percentile(await createBatches(bench, run), 50));
    bench.say(`  run ${run}: p99 ${samples.p99.at(-1)?.toFixed(1)} ms, a batch ${samples.batch.at(-1)?.toFixed(0)} ms`);
  }
  const created = (WARM_UP_SECONDS + 2 * SECONDS * bench.runs) * RATE + bench.runs * BATCHES * BATCH_LINKS;
  await assertCreated(bench, created);
  await bench.pool.query('DELETE FROM links WHERE long_url LIKE $1', [`${TARGET}%`]);
  return {
    title: `Creating links: ${RATE} requests a second, ${SECONDS} s a run`,
    notes: [
      'Each request is timed from the moment it was due; three tags each. Everything else of the stack runs beside it.',
      `Before the runs, ${WARM_UP_SECONDS} s in which the new processes compile and plan: a figure of its own.`,
      `All ${created.toLocaleString('en-US')} links were found in PostgreSQL afterwards.`,
    ],
    figures: [
      { name: `create, first ${WARM_UP_SECONDS} s: p99`, unit: 'ms', value: spreadOf([percentile(started, 99)]) },
      { name: 'create: p50', unit: 'ms', value: spreadOf(samples.p50) },
      { name: 'create: p99', unit: 'ms', value: spreadOf(samples.p99), target: { atMost: 50 } },
      {
        name: 'create with an Idempotency-Key: p99',
        unit: 'ms',
        value: spreadOf(samples.keyed),
        target: { atMost: 50 },
      },
      {
        name: `create ${BATCH_LINKS.toLocaleString('en-US')} in a batch: p50`,
        unit: 'ms',
        value: spreadOf(samples.batch),
      },
    ],
  };
}

/** Requests leave when they are due, whether or not earlier ones were answered. @returns ms of each */
async function createSteadily(bench: BenchStack, seconds: number, run: string, isKeyed: boolean): Promise<number[]> {
  const agent = keepAliveAgent(CONNECTIONS);
  const startMs = performance.now();
  const requests: Promise<number>[] = [];
  for (let n = 0; n < seconds * RATE; n += 1) {
    const dueMs = startMs + (n * 1_000) / RATE;
    if (performance.now() < dueMs) await sleep(dueMs - performance.now());
    const body = { longUrl: `${TARGET}${run}/${n}`, tags: ['bench', run, `t${n % 50}`] };
    const headers: Record<string, string> = isKeyed ? { 'idempotency-key': `${run}-${n}` } : {};
    const sent = post<ShortUrl>(bench, 'short-urls', body, { agent, headers });
    requests.push(sent.then(() => performance.now() - dueMs));
  }
  try {
    return await Promise.all(requests);
  } finally {
    agent.destroy();
  }
}

async function createBatches(bench: BenchStack, run: number): Promise<number[]> {
  const agent = keepAliveAgent(1);
  const timesMs: number[] = [];
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const shortUrls = Array.from({ length: BATCH_LINKS }, (_, n) => {
      return { longUrl: `${TARGET}batch-${run}-${batch}/${n}`, tags: ['bench', `t${n % 50}`] };
    });
    const startedMs = performance.now();
    const { created } = await post<ShortUrlBatch>(bench, 'short-urls/batch', { shortUrls }, { agent, headers: {} });
    timesMs.push(performance.now() - startedMs);
    if (created !== BATCH_LINKS) throw new Error(`${created} of ${BATCH_LINKS} links of a batch were created`);
  }
  agent.destroy();
  return timesMs;
}

async function post<Body>(
  { stack }: BenchStack,
  path: string,
  body: object,
  { agent, headers }: { agent: ReturnType<typeof keepAliveAgent>; headers: Record<string, string> },
): Promise<Body> {
  const answer = await call(`${stack.file.apiUrl}/rest/v3/${path}`, {
    method: 'POST',
    headers: { 'x-api-key': stack.file.apiKey, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    agent,
  });
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${answer.body}`);
  return JSON.parse(answer.body) as Body;
}

async function assertCreated({ pool }: BenchStack, created: number): Promise<void> {
  const { rows } = await pool.query<{ links: string }>('SELECT count(*) AS links FROM links WHERE long_url LIKE $1', [
    `${TARGET}%`,
  ]);
  if (Number(rows[0]?.links) !== created) throw new Error(`${rows[0]?.links} links of ${created} that were answered`);
}
