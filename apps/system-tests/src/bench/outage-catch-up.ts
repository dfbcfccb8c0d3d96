import { setTimeout as sleep } from 'node:timers/promises';

import { waitUntil } from '@hopcount/testing';

import { readLag } from '../harness/cli.js';
import { seededRandom, zipfPicker } from '../harness/random.js';
import { Arrivals, PER_SECOND } from './arrivals.js';
import { type BenchStack, LINKS } from './bench-stack.js';
import { countedOffsets, countedVisits, isVerified } from './counted.js';
import { spreadOf } from './numbers.js';
import { openVisitProducer } from './produce-visits.js';
import type { Section } from './report.js';

const OUTAGE_SECONDS = Number(process.env['BENCH_OUTAGE_SECONDS'] ?? 30);
/** Less than half a second's arrivals left: what a consumer that keeps up has under way. */
const CAUGHT_UP = PER_SECOND / 2;
const POLL_MS = 20;
const GIVE_UP_MS = 120_000;

interface CatchUp {
  backlog: number;
  /** Counted a second, from the first commit until the backlog is gone. */
  perSecond: number;
  /** Arrived a second, in the same time. */
  arriving: number;
  secondsFromStart: number;
}

/** A consumer that was stopped for a while, while visits keep coming at the same rate. */
export async function benchCatchUp(bench: BenchStack): Promise<Section> {
  const catchUps: CatchUp[] = [];
  await waitUntil(async () => (await readLag(bench.stack.file)).pending === 0, {
    timeoutMs: 300_000,
    everyMs: 1_000,
    describe: 'nothing is left to count',
  });
  let expected = await countedVisits(bench);
  // Other benchmarks of the same call empty the ledger under what gateways have reported.
  const verifiable = await isVerified(bench);
  for (let run = 0; run <= bench.runs; run += 1) {
    const { catchUp, arrived } = await outage(bench, run);
    expected += arrived;
    // The first run warms the broker and PostgreSQL up and is thrown away.
    if (run === 0) continue;
    catchUps.push(catchUp);
    bench.say(
      `  run ${run}: ${catchUp.backlog} behind, counted ${Math.round(catchUp.perSecond)}/s while ${Math.round(catchUp.arriving)}/s came`,
    );
  }
  await assertAllCounted(bench, expected, verifiable);
  return describeCatchUp(catchUps, expected, verifiable);
}

async function outage(bench: BenchStack, run: number): Promise<{ catchUp: CatchUp; arrived: number }> {
  const before = await countedOffsets(bench);
  const nextLink = zipfPicker(seededRandom(run + 1), LINKS);
  const producer = await openVisitProducer(bench.stack.file.kafkaBrokers, { nextLink, seed: run + 1 });
  await bench.stack.hold('consumer');
  const arrivals = new Arrivals(producer);
  await sleep((run === 0 ? Math.min(10, OUTAGE_SECONDS) : OUTAGE_SECONDS) * 1_000);
  const startedMs = performance.now();
  const resumed = bench.stack.resume('consumer');
  const catchUp = await timeCatchUp(bench, before, arrivals, startedMs);
  await resumed;
  await arrivals.stop();
  await waitUntil(async () => (await countedOffsets(bench)) - before >= arrivals.count, {
    timeoutMs: GIVE_UP_MS,
    describe: 'all of the run is counted',
  });
  return { catchUp, arrived: arrivals.count };
}

async function timeCatchUp(bench: BenchStack, before: number, arrivals: Arrivals, startedMs: number): Promise<CatchUp> {
  let first: { counted: number; arrived: number; atMs: number } | undefined;
  for (;;) {
    const counted = (await countedOffsets(bench)) - before;
    const now = { counted, arrived: arrivals.count, atMs: performance.now() };
    if (first === undefined && counted > 0) first = now;
    if (first !== undefined && now.arrived - counted < CAUGHT_UP) {
      const seconds = (now.atMs - first.atMs) / 1_000;
      return {
        backlog: first.arrived - first.counted,
        perSecond: (now.counted - first.counted) / seconds,
        arriving: (now.arrived - first.arrived) / seconds,
        secondsFromStart: (now.atMs - startedMs) / 1_000,
      };
    }
    if (now.atMs - startedMs > GIVE_UP_MS) throw new Error(`still ${now.arrived - counted} behind`);
    await sleep(POLL_MS);
  }
}

async function assertAllCounted(bench: BenchStack, expected: number, verifiable: boolean): Promise<void> {
  const visits = await countedVisits(bench);
  if (visits !== expected) throw new Error(`${visits} of ${expected} visits are counted`);
  if (verifiable && !(await isVerified(bench))) throw new Error('verify found a number that is wrong');
}

function describeCatchUp(catchUps: CatchUp[], expected: number, verified: boolean): Section {
  const ratio = catchUps.map(({ perSecond, arriving }) => perSecond / arriving);
  return {
    title: `Catching up: one consumer, stopped for ${OUTAGE_SECONDS} s while ${PER_SECOND.toLocaleString('en-US')} visits/s keep coming`,
    notes: [
      `From the first commit until less than half a second of arrivals is left; ${LINKS.toLocaleString('en-US')} links drawn Zipf-like.`,
      `Afterwards all ${expected.toLocaleString('en-US')} visits were in the ledger, each once${verified ? '; `verify` was clean' : ''}.`,
    ],
    figures: [
      { name: 'behind at the first commit', unit: 'visits', value: spreadOf(catchUps.map(({ backlog }) => backlog)) },
      { name: 'arriving', unit: 'visits/s', value: spreadOf(catchUps.map(({ arriving }) => arriving)) },
      { name: 'counted', unit: 'visits/s', value: spreadOf(catchUps.map(({ perSecond }) => perSecond)) },
      { name: 'counted / arriving', unit: 'x', value: spreadOf(ratio), target: { atLeast: 3 } },
      {
        name: "from the consumer's start until it has caught up",
        unit: 's',
        value: spreadOf(catchUps.map(({ secondsFromStart }) => secondsFromStart)),
      },
    ],
  };
}
