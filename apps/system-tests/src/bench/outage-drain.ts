import { setTimeout as sleep } from 'node:timers/promises';

import { readMetric } from '../harness/metrics.js';
import { type BenchStack, LINKS } from './bench-stack.js';
import { spreadOf } from './numbers.js';
import { pinServers } from './outage-redirects.js';
import type { Section } from './report.js';
import { requireWrk, runWrk } from './wrk.js';

const VISITS = Number(process.env['BENCH_SPOOLED_VISITS'] ?? 100_000);
const FILL_SECONDS_AT_MOST = 8;
const POLL_MS = 50;
const GIVE_UP_MS = 180_000;

interface Drain {
  spooled: number;
  seconds: number;
  secondsFromStart: number;
}

/** How long a gateway takes to hand to Kafka what it spooled while the broker was stopped. */
export async function benchDrain(bench: BenchStack): Promise<Section> {
  requireWrk();
  await bench.stack.hold('consumer'); // the gateway's drain is measured, not who counts what it drains
  const drains: Drain[] = [];
  try {
    await pinServers(bench);
    for (let run = 1; run <= bench.runs; run += 1) {
      await bench.stack.hold('kafka');
      await fillSpool(bench, run);
      const drain = await timeDrain(bench);
      drains.push(drain);
      bench.say(`  run ${run}: ${drain.spooled} spooled visits in ${drain.seconds.toFixed(1)} s`);
    }
  } finally {
    await bench.stack.resume('kafka');
    await bench.stack.resume('consumer');
  }
  const perSecond = drains.map(({ spooled, seconds }) => spooled / seconds);
  const visits = VISITS.toLocaleString('en-US');
  return {
    title: `Draining ${visits} spooled visits after the broker is back: one gateway, no new visits`,
    notes: [
      'From the first record handed over until the spool is empty; every batch is acknowledged (acks=all) before its segment goes.',
      'The whole spool is read back from the disk; the broker has just started. The consumer is stopped meanwhile.',
    ],
    figures: [
      { name: 'visits in the spool', unit: '', value: spreadOf(drains.map(({ spooled }) => spooled)) },
      { name: 'drained', unit: 'visits/s', value: spreadOf(perSecond) },
      { name: `${visits} visits drained in`, unit: 's', value: spreadOf(perSecond.map((rate) => VISITS / rate)) },
      {
        name: "from the broker's start until the spool is empty",
        unit: 's',
        value: spreadOf(drains.map(({ secondsFromStart }) => secondsFromStart)),
      },
    ],
  };
}

/** Visits, until at least VISITS of them are acknowledged into the spool. */
async function fillSpool(bench: BenchStack, run: number): Promise<void> {
  const { stack, host, cores } = bench;
  let seconds = 1;
  for (let slice = 0; ; slice += 1) {
    const before = await spooledEvents(bench);
    if (before >= VISITS) return;
    const seed = run * 1_000 + slice;
    const url = stack.file.gatewayUrl;
    const { errors } = await runWrk({ url, host, links: LINKS, seconds, seed, core: cores?.load ?? null });
    if (errors > 0) throw new Error(`${errors} visits failed while the broker was stopped`);
    const now = await spooledEvents(bench);
    const perSecond = Math.max(1, (now - before) / seconds);
    seconds = Math.min(FILL_SECONDS_AT_MOST, Math.max(1, Math.floor((VISITS - now) / perSecond)));
  }
}

async function timeDrain(bench: BenchStack): Promise<Drain> {
  const spooled = await spooledEvents(bench);
  const startedMs = performance.now();
  const resumed = bench.stack.resume('kafka').then(() => pinServers(bench));
  let firstMs: number | undefined;
  for (;;) {
    const left = await spooledEvents(bench);
    const nowMs = performance.now();
    if (left < spooled) firstMs ??= nowMs;
    if (left === 0 && firstMs !== undefined) {
      await resumed;
      return { spooled, seconds: (nowMs - firstMs) / 1_000, secondsFromStart: (nowMs - startedMs) / 1_000 };
    }
    if (nowMs - startedMs > GIVE_UP_MS) throw new Error(`${left} visits are still in the spool`);
    await sleep(POLL_MS);
  }
}

function spooledEvents({ stack }: BenchStack): Promise<number> {
  return readMetric(stack.file.opsUrls.gateway, 'hopcount_spool_events');
}
