import { setTimeout as sleep } from 'node:timers/promises';

import { waitUntil } from '@hopcount/testing';

import { call, keepAliveAgent } from '../harness/http.js';
import { readMetric } from '../harness/metrics.js';
import type { ProcessKind } from '../harness/stack.js';
import { type BenchStack, LINKS } from './bench-stack.js';
import { spreadOf } from './numbers.js';
import { pin } from './process-usage.js';
import type { Figure, Section } from './report.js';
import { requireWrk, runWrk } from './wrk.js';

const WARM_UP_SECONDS = 20;
const SECONDS = 6;
/** Of the load while a service goes and while it comes back. */
const TURN_SECONDS = 3;
const ASKED_AT_A_TIME = 32;
const DRAINED_WITHIN_MS = 120_000;

interface Case {
  name: string;
  down: ProcessKind | undefined;
  perSecond: number[];
  p50Ms: number[];
  p99Ms: number[];
  errors: number[];
}

/** Redirects of links the gateway knows, with everything up and with one service away at a time. */
export async function benchRedirectsInOutages(bench: BenchStack): Promise<Section> {
  requireWrk();
  await bench.stack.hold('consumer'); // the gateway is measured, not who shares its machine
  try {
    await pinServers(bench);
    const cases = [
      emptyCase('everything up', undefined),
      emptyCase('Redis down', 'redis'),
      emptyCase('PostgreSQL down', 'postgres'),
      emptyCase('Kafka down', 'kafka'),
    ];
    const spooledBefore = await spooledVisits(bench);
    await makeLinksKnown(bench);
    await load(bench, WARM_UP_SECONDS, 0);
    for (let run = 1; run <= bench.runs; run += 1) {
      for (const one of cases) await measure(bench, one, run);
    }
    return describeOutages(bench, cases, (await spooledVisits(bench)) - spooledBefore);
  } finally {
    await bench.stack.resume('consumer');
  }
}

/** Each link once, without a visit: a link never asked for cannot be known when PostgreSQL is away. */
async function makeLinksKnown({ stack, host }: BenchStack): Promise<void> {
  const agent = keepAliveAgent(ASKED_AT_A_TIME);
  let next = 0;
  const ask = async () => {
    while (next < LINKS) {
      const url = `${stack.file.gatewayUrl}/bench-${next++}`;
      const { status } = await call(url, { method: 'HEAD', headers: { host }, agent });
      if (status !== 302) throw new Error(`HEAD ${url} answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: ASKED_AT_A_TIME }, ask));
  agent.destroy();
}

async function measure(bench: BenchStack, one: Case, run: number): Promise<void> {
  const errorsOfGoing = one.down === undefined ? 0 : await whileTurning(bench, run, one.down, 'hold');
  const { perSecond, p50Ms, p99Ms, errors } = await load(bench, SECONDS, run);
  const errorsOfComing = one.down === undefined ? 0 : await whileTurning(bench, run, one.down, 'resume');
  one.perSecond.push(perSecond);
  one.p50Ms.push(p50Ms);
  one.p99Ms.push(p99Ms);
  one.errors.push(errorsOfGoing + errors + errorsOfComing);
  bench.say(
    `  run ${run}: ${one.name} ${Math.round(perSecond)}/s, p99 ${p99Ms.toFixed(1)} ms, ${one.errors.at(-1)} failed`,
  );
  if (one.down !== undefined) await settle(bench);
}

/** Load during which a service goes or comes back. @returns answers that were no redirect */
async function whileTurning(
  bench: BenchStack,
  run: number,
  kind: ProcessKind,
  turn: 'hold' | 'resume',
): Promise<number> {
  const loaded = load(bench, TURN_SECONDS, run);
  await sleep(500);
  await bench.stack[turn](kind);
  return (await loaded).errors;
}

/** So that one outage does not reach into the next: the spool is drained, new processes have their core. */
async function settle(bench: BenchStack): Promise<void> {
  await pinServers(bench);
  await waitUntil(async () => (await readMetric(bench.stack.file.opsUrls.gateway, 'hopcount_spool_events')) === 0, {
    timeoutMs: DRAINED_WITHIN_MS,
    everyMs: 200,
    describe: 'the spool is drained',
  });
}

function load({ stack, host, cores }: BenchStack, seconds: number, run: number) {
  return runWrk({ url: stack.file.gatewayUrl, host, links: LINKS, seconds, seed: 42 + run, core: cores?.load ?? null });
}

export async function pinServers({ stack, cores }: BenchStack): Promise<void> {
  if (cores === null) return;
  const { gateway, kafka, postgres, redis } = (await stack.read()).processes;
  pin([...gateway, ...kafka, ...postgres, ...redis], cores.servers);
}

function spooledVisits({ stack }: BenchStack): Promise<number> {
  return readMetric(stack.file.opsUrls.gateway, 'hopcount_visits_accepted_total', { path: 'spool' });
}

function emptyCase(name: string, down: ProcessKind | undefined): Case {
  return { name, down, perSecond: [], p50Ms: [], p99Ms: [], errors: [] };
}

function describeOutages(bench: BenchStack, cases: Case[], spooled: number): Section {
  const figures = cases.flatMap(({ name, perSecond, p50Ms, p99Ms, errors }): Figure[] => [
    { name: `${name}: redirects`, unit: '/s', value: spreadOf(perSecond) },
    { name: `${name}: p50`, unit: 'ms', value: spreadOf(p50Ms) },
    { name: `${name}: p99`, unit: 'ms', value: spreadOf(p99Ms) },
    { name: `${name}: failed`, unit: '', value: spreadOf(errors), target: { atMost: 0 } },
  ]);
  const pinned = bench.cores === null ? 'nothing pinned' : 'gateway and services on core 0, wrk on core 1';
  return {
    title: `Redirects in outages: 64 connections, ${LINKS.toLocaleString('en-US')} known links drawn Zipf-like, ${SECONDS} s a run`,
    notes: [
      `${pinned}; the consumer is stopped meanwhile. One service away at a time, in turn.`,
      `Failed: answers that were no redirect and lost connections, also in the ${TURN_SECONDS} s in which the service goes and the ${TURN_SECONDS} s in which it comes back.`,
      `Visits that went through the spool: ${Math.round(spooled)}.`,
    ],
    figures,
  };
}
