import { type BenchStack, LINKS } from './bench-stack.js';
import { countedOffsets } from './counted.js';
import { until } from '../harness/process-beside.js';
import { requireWrk, runWrk, type WrkResult } from './wrk.js';

const WARM_UP_SECONDS = 20;
const MEASURED_SECONDS = 20;
const COUNTED_WITHIN_MS = 600_000;
/** Of a connection between two visits. */
const PAUSE_MS = 100;

/**
 * What the whole stack takes on this machine for as long as one likes, visits/s: those of 64 connections that never pause,
 * by the time until all of them are counted.
 */
export async function measureMaximum(bench: BenchStack): Promise<number> {
  requireWrk();
  await visitAndCount(bench, WARM_UP_SECONDS);
  const startedMs = performance.now();
  const visits = await visitAndCount(bench, MEASURED_SECONDS);
  const perSecond = visits / ((performance.now() - startedMs) / 1_000);
  bench.say(`  the maximum: ${Math.round(perSecond)} visits/s, all counted`);
  return perSecond;
}

/** Visits at that rate, as of many visitors who know nothing of each other; less where the stack answers late. */
export function visitAtRate(bench: BenchStack, perSecond: number, seconds: number, seed: number): Promise<WrkResult> {
  const connections = Math.max(1, Math.round((perSecond * PAUSE_MS) / 1_000));
  return runWrk({ ...loadOf(bench, seconds, seed), connections, pauseMs: PAUSE_MS });
}

/** Until so many offsets more than `before` are counted. */
export async function untilCounted(bench: BenchStack, before: number, visits: number): Promise<void> {
  await until(async () => (await countedOffsets(bench)) - before >= visits, COUNTED_WITHIN_MS);
}

async function visitAndCount(bench: BenchStack, seconds: number): Promise<number> {
  const before = await countedOffsets(bench);
  const { requests, errors } = await runWrk(loadOf(bench, seconds, seconds));
  await untilCounted(bench, before, requests - errors);
  return requests - errors;
}

/** Nothing is pinned: the whole stack and who visits it share the cores. */
function loadOf({ stack, host }: BenchStack, seconds: number, seed: number) {
  return { url: stack.file.gatewayUrl, host, links: LINKS, seconds, seed, core: null };
}
