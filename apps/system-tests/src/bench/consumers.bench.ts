import { environmentOf } from '../harness/environment-of.js';
import { type ProcessBeside, until } from '../harness/process-beside.js';
import { seededRandom, zipfPicker } from '../harness/random.js';
import { type BenchStack, LINKS } from './bench-stack.js';
import { countedOffsets, countedVisits, isVerified } from './counted.js';
import { CpuQuota } from './cpu-quota.js';
import { ratioSpread, spreadOf } from './numbers.js';
import { cpuSeconds } from './process-usage.js';
import { produceVisits } from './produce-visits.js';
import type { Figure, Section } from './report.js';
import { startConsumers, untilLinkIsHot } from './slots.bench.js';

const VISITS = 96_000;
/** Of each process: its code is compiled before it is limited. */
const WARM_UP_VISITS = 30_000;
const PERCENT_OF_CORE = 20;
/** Processes, and their rate to that of one. */
const TARGETS = new Map<number, { atLeast: number } | undefined>([
  [1, undefined],
  [2, { atLeast: 1.8 }],
  [4, { atLeast: 3.4 }],
]);

interface Case {
  name: string;
  hot: boolean;
  processes: number;
  perSecond: number[];
  /** Of one core, of each process on average. */
  usedPercent: number[];
}

/** What more consumer processes bring where each has a small part of a core, as if on a machine of its own. */
export async function benchConsumers(bench: BenchStack): Promise<Section> {
  const title = `Consumers: ${VISITS.toLocaleString('en-US')} visits by 1, 2 and 4 processes, ${PERCENT_OF_CORE} % of a core each`;
  try {
    new CpuQuota('try', PERCENT_OF_CORE).remove();
  } catch (error) {
    const reason = `Not measured: limiting a process needs root and control groups v1 (${(error as Error).message}).`;
    return { title, notes: [reason], figures: [] };
  }
  const cases: Case[] = [
    { name: `${LINKS.toLocaleString('en-US')} links`, hot: false },
    { name: 'one hot link', hot: true },
  ].flatMap((kind) => [...TARGETS.keys()].map((processes) => ({ ...kind, processes, perSecond: [], usedPercent: [] })));
  const [pid = 0] = (await bench.stack.read()).processes.consumer;
  const environment = environmentOf(pid);
  // Another section may have emptied tables before.
  const isVerifiable = await isVerified(bench);
  await bench.stack.hold('consumer');
  try {
    for (let run = 1; run <= bench.runs; run += 1) {
      for (const one of cases) await measure(bench, environment, one, run);
    }
  } finally {
    await bench.stack.resume('consumer');
  }
  if (isVerifiable && !(await isVerified(bench))) throw new Error('verify found a number that is wrong');
  const notes = [
    'A topic of 12 partitions is filled before. Links are drawn Zipf-like, or the same one has all visits. PostgreSQL and Kafka have no limit.',
    'The ledger has each visit that was produced exactly once; `hopcount verify` then finds no difference.',
  ];
  return {
    title,
    notes,
    figures: cases.flatMap((one, nth) => figuresOf(one, cases[nth - (nth % TARGETS.size)] as Case)),
  };
}

function figuresOf({ name, processes, perSecond, usedPercent }: Case, alone: Case): Figure[] {
  const title = `${name}, ${processes} ${processes === 1 ? 'process' : 'processes'}`;
  const target = TARGETS.get(processes);
  return [
    { name: `${title}: rate`, unit: 'visits/s', value: spreadOf(perSecond) },
    { name: `${title}: core used by each`, unit: '%', value: spreadOf(usedPercent) },
    ...(target === undefined
      ? []
      : [{ name: `${title} / one`, unit: 'x', value: ratioSpread(perSecond, alone.perSecond), target }]),
  ];
}

async function measure(bench: BenchStack, environment: NodeJS.ProcessEnv, one: Case, run: number): Promise<void> {
  const { name, hot, processes } = one;
  const consumers: ProcessBeside[] = [];
  const quotas = Array.from({ length: processes }, (_, nth) => new CpuQuota(String(nth), PERCENT_OF_CORE));
  const produced = new Set<string>();
  const nextLink = hot ? () => 0 : zipfPicker(seededRandom(run), LINKS);
  const look = ({ eventId }: { eventId: string }) => produced.add(eventId);
  const fill = (count: number) => produceVisits(bench.stack.file.kafkaBrokers, count, { nextLink, look, seed: run });
  try {
    await startConsumers(consumers, processes, environment);
    const [start, visitsBefore] = [await countedOffsets(bench), await countedVisits(bench)];
    const warm = start + processes * WARM_UP_VISITS;
    await fill(warm - start);
    await until(async () => (await countedOffsets(bench)) >= warm);
    if (hot) await untilLinkIsHot(bench);
    consumers.forEach(({ pid }, nth) => quotas[nth]?.limit(pid));
    // Else each prepares a batch of each of its partitions before the clock runs, so more processes would have more done.
    for (const { pid } of consumers) process.kill(pid, 'SIGSTOP');
    await fill(VISITS);
    for (const { pid } of consumers) process.kill(pid, 'SIGCONT');
    const used = () => consumers.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
    const [startedMs, usedBefore] = [performance.now(), used()];
    await until(async () => (await countedOffsets(bench)) >= warm + VISITS);
    const seconds = (performance.now() - startedMs) / 1_000;
    one.perSecond.push(VISITS / seconds);
    one.usedPercent.push((100 * (used() - usedBefore)) / seconds / processes);
    await expectExactlyOnce(bench, produced, visitsBefore);
    bench.say(`  run ${run}: ${name}, ${processes} processes: ${Math.round(VISITS / seconds)}/s`);
  } finally {
    for (const { pid } of consumers) process.kill(pid, 'SIGCONT');
    await Promise.all(consumers.map((consumer) => consumer.stop()));
    for (const quota of quotas) quota.remove();
  }
}

/** @throws when the ledger lacks one of the visits, has one twice or one more */
async function expectExactlyOnce(bench: BenchStack, produced: Set<string>, visitsBefore: number): Promise<void> {
  const { rows } = await bench.pool.query<{ event_id: string }>('SELECT event_id FROM visits');
  const found = rows.filter(({ event_id: id }) => produced.has(id)).length;
  const added = rows.length - visitsBefore;
  if (found !== produced.size || added !== produced.size)
    throw new Error(`${produced.size} visits were produced, ${added} counted, ${found} of them those produced`);
}
