import { type BenchStack, LINKS } from '../bench-stack.js';
import { spreadOf } from '../numbers.js';
import { cpuSeconds, pin } from '../process-usage.js';
import type { Figure, Section } from '../report.js';
import { AGENT } from '../wrk.js';
import { type OpenLoopResult, runOpenLoop } from './run-open-loop.js';

const RATES = [2_000, 5_000, 10_000, 15_000];
const SECONDS = 10;
/** Until V8 and the broker's JVM have compiled the whole path. */
const WARM_UP = { perSecond: 10_000, seconds: 25, seed: 0 };
const TARGETS: Record<number, { p50Ms: number; p99Ms: number }> = { 5_000: { p50Ms: 2, p99Ms: 15 } };

type Run = OpenLoopResult & { cpuUs: number };

/**
 * What visitors wait for who come whether or not the gateway is quick: a closed loop such as wrk's asks less of one
 * that is slow.
 */
export async function benchArrivals(bench: BenchStack): Promise<Section> {
  await bench.stack.hold('consumer'); // the gateway is measured, not who shares its machine
  const { gatewayUrl: url, processes } = await bench.stack.read();
  const [pid = 0] = processes.gateway;
  const { kafka, postgres, redis } = processes;
  if (bench.cores !== null) pin([pid, ...kafka, ...postgres, ...redis], bench.cores.servers);
  bench.measured.push({ what: 'gateway', pid });
  const load = { url, host: bench.host, agent: AGENT, links: LINKS, connections: 256 };
  const visit = async (perSecond: number, seconds: number, seed: number): Promise<Run> => {
    const cpuBefore = cpuSeconds(pid);
    const result = await runOpenLoop({ ...load, perSecond, seconds, seed }, bench.cores?.load ?? null);
    return { ...result, cpuUs: ((cpuSeconds(pid) - cpuBefore) / result.offered) * 1e6 };
  };
  const runsOf = new Map(RATES.map((perSecond) => [perSecond, [] as Run[]]));
  try {
    await visit(WARM_UP.perSecond, WARM_UP.seconds, WARM_UP.seed);
    for (let run = 1; run <= bench.runs; run += 1) {
      for (const [perSecond, runs] of runsOf) {
        const result = await visit(perSecond, SECONDS, run);
        runs.push(result);
        bench.say(`  run ${run}: ${perSecond}/s p50 ${result.p50Ms.toFixed(2)} ms, p99 ${result.p99Ms.toFixed(1)} ms`);
      }
    }
  } finally {
    await bench.stack.resume('consumer');
  }
  return {
    title: `Arrivals: open loop, 256 connections, ${LINKS.toLocaleString('en-US')} links drawn Zipf-like, ${SECONDS} s a run`,
    notes: [
      'Gaps of a Poisson process; latency counts from the moment a request was due, also while no connection was free.',
      `${bench.cores === null ? 'Nothing pinned' : 'Gateway, Kafka, PostgreSQL and Redis on core 0, the client on core 1'}; the consumer is stopped meanwhile.`,
    ],
    figures: [...runsOf].flatMap(([perSecond, runs]) => figuresOf(perSecond, runs)),
  };
}

function figuresOf(perSecond: number, runs: Run[]): Figure[] {
  const name = (what: string) => `${perSecond.toLocaleString('en-US')}/s: ${what}`;
  const of = (read: (run: Run) => number) => spreadOf(runs.map(read));
  const target = TARGETS[perSecond];
  return [
    {
      ...{ name: name('p50'), unit: 'ms', value: of(({ p50Ms }) => p50Ms) },
      ...(target && { target: { atMost: target.p50Ms } }),
    },
    {
      ...{ name: name('p99'), unit: 'ms', value: of(({ p99Ms }) => p99Ms) },
      ...(target && { target: { atMost: target.p99Ms } }),
    },
    { name: name('CPU a redirect'), unit: 'µs', value: of(({ cpuUs }) => cpuUs) },
    {
      name: name('no redirect'),
      unit: 'answers',
      value: of(({ offered, redirects }) => offered - redirects),
      target: { atMost: 0 },
    },
    {
      ...{ name: name('begun over 1 ms late by the client itself'), unit: '%' },
      value: of(({ late, offered }) => (100 * late) / offered),
    },
  ];
}
