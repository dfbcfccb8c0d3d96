import { freePorts } from '@hopcount/testing';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { environmentOf } from '../harness/environment-of.js';
import { call, keepAliveAgent } from '../harness/http.js';
import type { BenchStack } from './bench-stack.js';
import { spreadOf } from './numbers.js';
import { type ProcessBeside, startBeside } from '../harness/process-beside.js';
import type { Section } from './report.js';

const TAKEN = 20_000;
const BURST = 500;
const PER_SECOND = 200;
const SECONDS = 10;
const CLIENTS = 16;

/** In a process of its own, the built library: two buckets a call, as a gateway asks. */
const TAKE = `
import { createRedis, TokenBuckets, waitForRedis } from '@hopcount/redis';
const logger = { child: () => logger, warn() {}, info() {}, error() {} };
const redis = createRedis({ url: process.argv[1], name: 'bench', logger });
await waitForRedis(redis, 5_000);
const buckets = new TokenBuckets(redis);
const timesMs = [];
for (let n = 0; n < ${2 * TAKEN}; n += 1) {
  const tag = 'hc:rate:{bench-' + (n % 1_000) + '}';
  const startedMs = performance.now();
  const taken = await buckets.take([
    { key: tag + ':requests', burst: 100, perSecond: 10, tokens: 1 },
    { key: tag + ':not-found', burst: 30, perSecond: 0.5, tokens: 0 },
  ]);
  if (taken === undefined) throw new Error('Redis did not answer');
  if (n >= ${TAKEN}) timesMs.push(performance.now() - startedMs);
}
timesMs.sort((a, b) => a - b);
const at = (share) => timesMs[Math.ceil(share * timesMs.length) - 1];
console.log(JSON.stringify({ p50: at(0.5), p99: at(0.99) }));
redis.disconnect();`;

/** (k) What it costs to ask a limit, and how exactly two gateways hold one. */
export async function benchRateLimits(bench: BenchStack): Promise<Section> {
  const samples = { p50: [] as number[], p99: [] as number[], deviation: [] as number[] };
  const gateways = await startGateways(bench);
  try {
    for (let run = 1; run <= bench.runs; run += 1) {
      const args = ['--input-type=module', '-e', TAKE, bench.stack.file.redisUrl];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      const { p50, p99 } = JSON.parse(stdout) as { p50: number; p99: number };
      samples.p50.push(p50);
      samples.p99.push(p99);
      samples.deviation.push(await measureDeviation(bench, gateways.urls, `198.51.100.${run}`));
      bench.say(`  run ${run}: p99 ${p99.toFixed(3)} ms, ${samples.deviation.at(-1)?.toFixed(2)} % off`);
    }
  } finally {
    await gateways.stop();
  }
  return {
    title: `Rate limits: ${TAKEN.toLocaleString('en-US')} questions one after the other; two gateways, ${BURST} at once and ${PER_SECOND}/s`,
    notes: [
      'A question is one script over two buckets, Redis on the same machine.',
      `Off: redirects of one client in ${SECONDS} s of asking both gateways as fast as ${CLIENTS} connections do, against what the limit says for the time between the first question and the last answer.`,
    ],
    figures: [
      { name: 'ask a limit: p50', unit: 'ms', value: spreadOf(samples.p50) },
      { name: 'ask a limit: p99', unit: 'ms', value: spreadOf(samples.p99), target: { atMost: 0.5 } },
      { name: 'redirects, off the limit', unit: '%', value: spreadOf(samples.deviation), target: { atMost: 1 } },
    ],
  };
}

async function startGateways({ stack }: BenchStack) {
  const { processes } = await stack.read();
  const environment = environmentOf(processes.gateway[0] ?? 0);
  const folder = await mkdtemp(join(tmpdir(), 'hopcount-bench-spool-'));
  const ports = await freePorts(2);
  const running: ProcessBeside[] = [];
  const stop = async () => {
    await Promise.all(running.map((gateway) => gateway.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  const limits = { RATE_LIMIT_REDIRECTS: 'true', REDIRECT_LIMIT: `${BURST}:${PER_SECOND}` };
  try {
    for (const port of ports) {
      const own = { GATEWAY_PORT: String(port), SPOOL_DIR: folder, ...limits };
      running.push(await startBeside('gateway', { ...environment, ...own }));
    }
    for (const gateway of running) await gateway.ready();
  } catch (error) {
    await stop();
    throw error;
  }
  return { urls: ports.map((port) => `http://127.0.0.1:${port}`), stop };
}

/** @returns percent */
async function measureDeviation(bench: BenchStack, urls: readonly string[], client: string): Promise<number> {
  const agent = keepAliveAgent(CLIENTS);
  const headers = { host: bench.host, 'x-forwarded-for': client };
  const startedMs = performance.now();
  let redirects = 0;
  const askUntilEnd = async (_: unknown, index: number) => {
    for (let n = index; performance.now() - startedMs < SECONDS * 1_000; n += 1) {
      const { status } = await call(`${urls[n % urls.length]}/bench-${index}`, { headers, agent });
      if (status === 302) redirects += 1;
      else if (status !== 429) throw new Error(`a gateway answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, askUntilEnd));
  const allowed = BURST + (PER_SECOND * (performance.now() - startedMs)) / 1_000;
  agent.destroy();
  return (100 * Math.abs(redirects - allowed)) / allowed;
}
