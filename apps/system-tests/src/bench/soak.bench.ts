import { readdirSync } from 'node:fs';

import { readMetric } from '../harness/metrics.js';
import { type BenchStack, OUR_PROCESSES } from './bench-stack.js';
import { countedOffsets, countedVisits, isVerified } from './counted.js';
import { spreadOf } from './numbers.js';
import { cpuSeconds, rssMb } from './process-usage.js';
import type { Figure, Section } from './report.js';
import { measureMaximum, untilCounted, visitAtRate } from './steady-load.js';

const SHARE_OF_MAXIMUM = 0.7;
const PORTION_SECONDS = 20;
/** Between the middle third and the last one: what grows for ever grows by more in ten minutes. */
const GROWTH_AT_MOST = 1.1;

/** What is looked at after each portion, in the order of the report. */
const MEASURES = {
  rssMb: { name: 'RSS', unit: 'MB' },
  openFiles: { name: 'open files and sockets', unit: '' },
  loopP99Ms: { name: 'event loop delay, p99', unit: 'ms' },
  gcPercent: { name: 'time in garbage collection', unit: '%' },
  cpuPercent: { name: 'processor', unit: '% of a core' },
} as const;
type Measure = keyof typeof MEASURES;
type Kind = (typeof OUR_PROCESSES)[number];

interface Look {
  p99Ms: number;
  errors: number;
  answered: number;
  behind: number;
  of: Record<Kind, Record<Measure, number>>;
}

/** Hours of a good day in short: a steady load well below the maximum, under which nothing may grow. */
export async function benchSoak(bench: BenchStack): Promise<Section[]> {
  const maximum = await measureMaximum(bench);
  const isVerifiable = await isVerified(bench);
  const perSecond = SHARE_OF_MAXIMUM * maximum;
  const [offsets, visits] = [await countedOffsets(bench), await countedVisits(bench)];
  const looks: Look[] = [];
  let answered = 0;
  let usage = await usageOf(bench);
  for (let portion = 1; portion <= Math.max(3, (bench.minutes * 60) / PORTION_SECONDS); portion += 1) {
    const startedMs = performance.now();
    const load = await visitAtRate(bench, perSecond, PORTION_SECONDS, portion);
    answered += load.requests - load.errors;
    const behind = answered - ((await countedOffsets(bench)) - offsets);
    const now = await usageOf(bench);
    const of = await lookAt(bench, usage, now, (performance.now() - startedMs) / 1_000);
    usage = now;
    looks.push({ p99Ms: load.p99Ms, errors: load.errors, answered: load.perSecond, behind: Math.max(0, behind), of });
    const { gateway, consumer } = of;
    bench.say(
      `  ${portion * PORTION_SECONDS} s: ${Math.round(load.perSecond)}/s, p99 ${load.p99Ms.toFixed(1)} ms, ${looks.at(-1)?.behind} behind, gateway ${Math.round(gateway.rssMb)} MB, consumer ${Math.round(consumer.rssMb)} MB`,
    );
  }
  await untilCounted(bench, offsets, answered);
  const more = (await countedVisits(bench)) - visits;
  if (more < answered) throw new Error(`${more} of ${answered} answered visits are in the ledger`);
  // Without it other benchmarks of the same call have emptied the ledger under what gateways had reported.
  if (isVerifiable && !(await isVerified(bench))) throw new Error('verify found a number that is wrong');
  const said = `${answered.toLocaleString('en-US')} visits were answered, all of them are in the ledger${isVerifiable ? '; \`verify\` was clean' : ''}.`;
  return [describeLoad(bench, maximum, looks, said), ...OUR_PROCESSES.map((kind) => describeKind(kind, looks))];
}

type Usage = Record<Kind, { cpuSeconds: number; gcSeconds: number }>;

async function usageOf({ stack }: BenchStack): Promise<Usage> {
  const { processes, opsUrls } = await stack.read();
  const usage: Partial<Usage> = {};
  for (const kind of OUR_PROCESSES) {
    usage[kind] = {
      cpuSeconds: cpuSeconds(processes[kind][0] ?? 0),
      gcSeconds: await readMetric(opsUrls[kind], 'nodejs_gc_duration_seconds_sum'),
    };
  }
  return usage as Usage;
}

async function lookAt({ stack }: BenchStack, before: Usage, now: Usage, seconds: number): Promise<Look['of']> {
  const { processes, opsUrls } = await stack.read();
  const of: Partial<Look['of']> = {};
  for (const kind of OUR_PROCESSES) {
    const [pid = 0] = processes[kind];
    of[kind] = {
      rssMb: rssMb(pid),
      openFiles: readdirSync(`/proc/${pid}/fd`).length,
      loopP99Ms: 1_000 * (await readMetric(opsUrls[kind], 'hopcount_event_loop_delay_p99_seconds')),
      gcPercent: (100 * (now[kind].gcSeconds - before[kind].gcSeconds)) / seconds,
      cpuPercent: (100 * (now[kind].cpuSeconds - before[kind].cpuSeconds)) / seconds,
    };
  }
  return of as Look['of'];
}

function describeLoad(bench: BenchStack, maximum: number, looks: readonly Look[], said: string): Section {
  const of = (read: (look: Look) => number) => spreadOf(looks.map(read));
  return {
    title: `Soak: ${bench.minutes} minutes at ${100 * SHARE_OF_MAXIMUM} % of the maximum, the whole stack and who visits it on the same cores`,
    notes: [
      `The maximum: ${Math.round(maximum)} visits/s of 64 connections, by the time until all were counted. A look every ${PORTION_SECONDS} s.`,
      said,
      `Thirds of the time: p99 ${thirdsOf(looks.map(({ p99Ms }) => p99Ms))
        .map(short)
        .join(' → ')} ms.`,
    ],
    figures: [
      { name: 'answered', unit: 'visits/s', value: of(({ answered }) => answered) },
      { name: 'p99', unit: 'ms', value: of(({ p99Ms }) => p99Ms) },
      ...growthOf(
        'p99',
        looks.map(({ p99Ms }) => p99Ms),
      ),
      { name: 'no redirect', unit: 'answers', value: of(({ errors }) => errors), target: { atMost: 0 } },
      { name: 'answered, not yet counted', unit: 'visits', value: of(({ behind }) => behind) },
    ],
  };
}

function describeKind(kind: Kind, looks: readonly Look[]): Section {
  const measures = Object.entries(MEASURES).map(([key, { name, unit }]) => {
    return { name, unit, values: looks.map(({ of }) => of[kind][key as Measure]) };
  });
  const thirds = measures.map(({ name, unit, values }) => `${name} ${thirdsOf(values).map(short).join(' → ')} ${unit}`);
  return {
    title: `Soak: ${kind}`,
    notes: [`Thirds of the time: ${thirds.map((third) => third.trim()).join('; ')}.`],
    figures: measures.flatMap(({ name, unit, values }): Figure[] => [
      { name, unit, value: spreadOf(values) },
      ...(name === MEASURES.rssMb.name || name === MEASURES.openFiles.name ? growthOf(name, values) : []),
    ]),
  };
}

/** Of the last third against the middle one: the first is still warming up. */
function growthOf(name: string, values: readonly number[]): Figure[] {
  const [, middle = 0, last = 0] = thirdsOf(values);
  if (middle === 0) return [];
  const value = spreadOf([last / middle]);
  return [{ name: `${name}, last third / middle third`, unit: 'x', value, target: { atMost: GROWTH_AT_MOST } }];
}

/** Median of each third. */
function thirdsOf(values: readonly number[]): number[] {
  const border = (third: number) => Math.round((third * values.length) / 3);
  return [0, 1, 2].map((third) => spreadOf(values.slice(border(third), border(third + 1))).median);
}

function short(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(2);
}
