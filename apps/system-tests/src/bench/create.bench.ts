import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

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
const GENERATED = 100_000;
/** Tells the links of this benchmark from others. */
const TARGET = 'https://create.example/';

/** In a process of its own, as an api draws them: what is measured is the built library. */
const GENERATE = `
import { randomCode, SnowflakeCodes, Snowflakes } from '@hopcount/links';
const ids = new Snowflakes({ current: () => 1 });
const snowflakes = new SnowflakeCodes('only for a benchmark, forty characters ...');
const strategies = { random: () => (ids.next(), randomCode()), snowflake: () => snowflakes.encode(ids.next()) };
const result = {};
for (const [name, draw] of Object.entries(strategies)) {
  for (let n = 0; n < 20_000; n += 1) draw();
  const timesMs = [];
  for (let n = 0; n < ${GENERATED}; n += 1) {
    const startedMs = performance.now();
    draw();
    timesMs.push(performance.now() - startedMs);
  }
  timesMs.sort((a, b) => a - b);
  result[name] = timesMs[Math.ceil(0.99 * timesMs.length) - 1];
}
console.log(JSON.stringify(result));`;

type Strategy = 'random' | 'snowflake';

/** (h) Creating links over HTTP at a steady rate; batches; drawing a code. */
export async function benchCreate(bench: BenchStack): Promise<Section> {
  const samples = { p50: [] as number[], p99: [] as number[], keyed: [] as number[], batch: [] as number[] };
  const drawn: Record<Strategy, number[]> = { random: [], snowflake: [] };
  const { processes } = await bench.stack.read();
  bench.measured.push({ what: 'api', pid: processes.api[0] ?? 0 });
  await createSteadily(bench, WARM_UP_SECONDS, 'warm-up', false);
  for (let run = 1; run <= bench.runs; run += 1) {
    const plain = await createSteadily(bench, SECONDS, `run-${run}`, false);
    const keyed = await createSteadily(bench, SECONDS, `keyed-${run}`, true);
    samples.p50.push(percentile(plain, 50));
    samples.p99.push(percentile(plain, 99));
    samples.keyed.push(percentile(keyed, 99));
    samples.batch.push(percentile(await createBatches(bench, run), 50));
    const codes = await drawCodes();
    for (const strategy of ['random', 'snowflake'] as const) drawn[strategy].push(codes[strategy]);
    bench.say(`  run ${run}: p99 ${samples.p99.at(-1)?.toFixed(1)} ms, a batch ${samples.batch.at(-1)?.toFixed(0)} ms`);
  }
  const created = (WARM_UP_SECONDS + 2 * SECONDS * bench.runs) * RATE + bench.runs * BATCHES * BATCH_LINKS;
  await assertCreated(bench, created);
  await bench.pool.query('DELETE FROM links WHERE long_url LIKE $1', [`${TARGET}%`]);
  return {
    title: `Creating links: ${RATE} requests a second, ${SECONDS} s a run`,
    notes: [
      'Each request is timed from the moment it was due; three tags each. Everything else of the stack runs beside it.',
      `All ${created.toLocaleString('en-US')} links were found in PostgreSQL afterwards. Codes: ${GENERATED.toLocaleString('en-US')} drawn one by one in a process of its own.`,
    ],
    figures: [
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
      { name: 'draw a random code: p99', unit: 'ms', value: spreadOf(drawn.random), target: { atMost: 0.1 } },
      { name: 'draw a snowflake code: p99', unit: 'ms', value: spreadOf(drawn.snowflake), target: { atMost: 0.1 } },
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

async function drawCodes(): Promise<Record<Strategy, number>> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', GENERATE]);
  return JSON.parse(stdout) as Record<Strategy, number>;
}

async function assertCreated({ pool }: BenchStack, created: number): Promise<void> {
  const { rows } = await pool.query<{ links: string }>('SELECT count(*) AS links FROM links WHERE long_url LIKE $1', [
    `${TARGET}%`,
  ]);
  if (Number(rows[0]?.links) !== created) throw new Error(`${rows[0]?.links} links of ${created} that were answered`);
}
