import { freePorts } from '@hopcount/testing';
import type { HostVisits } from '@hopcount/contracts';

import { environmentOf } from '../harness/environment-of.js';
import { call } from '../harness/http.js';
import { startBeside, until } from '../harness/process-beside.js';
import type { BenchStack } from './bench-stack.js';
import { spreadOf } from './numbers.js';
import { cpuSeconds, pin } from './process-usage.js';
import type { Section } from './report.js';
import { requireWrk, runWrk } from './wrk.js';

const HOSTS = 1_000;
const SECONDS = 10;
const WARM_UP_SECONDS = 5;
const PER_SECOND = 5_000;
/** Of a connection between two questions. */
const PAUSE_MS = 20;
/** With an answer, and wrk's own timers. */
const ROUND_MS = PAUSE_MS + 1.6;
const CONNECTIONS = Math.ceil((PER_SECOND * ROUND_MS) / 1_000);
/** One key asks all of it: its limit is looked up, and never reached. */
const NO_LIMIT = '9999999:999999';

/** Visits of a host of all time, from memory, as a page that drills down asks for them; with a key, its scope and its limit. */
export async function benchHostAnswers(bench: BenchStack): Promise<Section> {
  requireWrk();
  const { stack, cores, runs } = bench;
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const environment = environmentOf((await stack.read()).processes.api[0] ?? 0);
  const own = { API_PORT: String(port), API_NICE: '0', READ_LIMIT: NO_LIMIT, STATISTICS_LIMIT: NO_LIMIT };
  const api = await startBeside('api', { ...environment, ...own });
  const perSecond: number[] = [];
  const p50: number[] = [];
  const p99: number[] = [];
  const cpuUs: number[] = [];
  try {
    await api.ready();
    await feed(bench, url);
    if (cores !== null) {
      pin([api.pid], cores.servers);
      pin(Object.values((await stack.read()).processes).flat(), cores.load);
    }
    for (let run = 0; run <= runs; run += 1) {
      const before = cpuSeconds(api.pid);
      const result = await runWrk({
        ...{ url, host: new URL(url).host, links: HOSTS, seed: run, core: cores?.load ?? null },
        ...{ seconds: run === 0 ? WARM_UP_SECONDS : SECONDS, connections: CONNECTIONS, pauseMs: PAUSE_MS },
        ...{ prefix: 'rest/v3/hosts/fed/h', suffix: '.bench.example?scope=below&period=allTime' },
        headers: { 'x-api-key': stack.file.apiKey },
      });
      if (result.errors > 0) throw new Error(`${result.errors} of ${result.requests} questions failed`);
      if (run === 0) continue;
      perSecond.push(result.perSecond);
      p50.push(result.p50Ms);
      p99.push(result.p99Ms);
      cpuUs.push(((cpuSeconds(api.pid) - before) * 1e6) / result.requests);
      bench.say(`  run ${run}: ${Math.round(result.perSecond)}/s, p99 ${result.p99Ms.toFixed(1)} ms`);
    }
    bench.measured.push({ what: 'the api that answers for hosts', pid: api.pid });
  } finally {
    await api.stop();
  }
  return {
    title: `A host over HTTP: ${PER_SECOND.toLocaleString('en-US')} questions/s`,
    notes: [
      `\`GET /rest/v3/hosts/fed/{name}?scope=below&period=allTime\` of ${HOSTS} hosts drawn Zipf-like, of all time; ${CONNECTIONS} connections that pause ${PAUSE_MS} ms on average, as those who know nothing of each other.`,
      'One api, one key, with its limit in Redis, on a core of its own; wrk and the rest of the stack on the other.',
    ],
    figures: [
      { name: 'answers', unit: '/s', value: spreadOf(perSecond) },
      { name: 'p50', unit: 'ms', value: spreadOf(p50) },
      { name: 'p99', unit: 'ms', value: spreadOf(p99), target: { atMost: 5 } },
      { name: 'CPU of the api an answer', unit: 'µs', value: spreadOf(cpuUs) },
    ],
  };
}

/** One below each host, and until the api has them in memory: then it says nothing of data centres. */
async function feed({ stack }: BenchStack, url: string): Promise<void> {
  const headers = { 'x-api-key': stack.file.apiKey };
  const lines = Array.from({ length: HOSTS }, (_, host) => `${host + 1} www.h${host}.bench.example`);
  const answer = await call(`${url}/rest/v3/hosts/counts`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'text/plain', 'idempotency-key': 'bench-hosts' },
    body: lines.join('\n'),
  });
  if (answer.status !== 202) throw new Error(`feeding hosts answered ${answer.status}: ${answer.body}`);
  await until(async () => {
    const last = await call(`${url}/rest/v3/hosts/fed/h${HOSTS - 1}.bench.example?scope=below&period=allTime`, {
      headers,
    });
    const { allTime, dataCentres } = JSON.parse(last.body) as HostVisits;
    return allTime.visits === HOSTS && dataCentres.length === 0;
  });
}
