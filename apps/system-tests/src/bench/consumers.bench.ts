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
import { fillBeforeCounting, startConsumers } from './slots.bench.js';

const VISITS = 120_000;
/** Every process has its partitions and has counted before it is limited. */
const WARM_UP_VISITS = 12_000;
const PERCENT_OF_CORE = 15;

interface Case {
  processes: number;
  /** Of the rate of one process. */
  atLeast?: number;
  perSecond: number[];
  /** Of one core, of each process on average. */
  usedPercent: number[];
}

/** What more consumer processes bring where each has a small part of a core, as on machines of their own. */
export async function benchConsumers(bench: BenchStack): Promise<Section> {
  const title = `Consumers: ${VISITS.toLocaleString('en-US')} visits by 1, 2 and 4 processes, ${PERCENT_OF_CORE} % of a core each`;
  try {
    new CpuQuota('try', PERCENT_OF_CORE).remove();
  } catch (error) {
    const reason = `Not measured: limiting a process needs root and control groups v1 (${(error as Error).message}).`;
    return { title, notes: [reason], figures: [] };
  }
  const cases: Case[] = [
    { processes: 1, perSecond: [], usedPercent: [] },
    { processes: 2, atLeast: 1.8, perSecond: [], usedPercent: [] },
    { processes: 4, atLeast: 3.4, perSecond: [], usedPercent: [] },
  ];
  const [pid = 0] = (await bench.stack.read()).processes.consumer;
  const environment = environmentOf(pid);
  // Another section may have emptied tables before.
  const isVerifiable = await isVerified(bench);
  await bench.stack.hold('consumer');
  try {
    for (let run = 1; run <= bench.runs; run += 1) {
      for (const one of cases) {
        const { perSecond, usedPercent } = await measure(bench, environment, one.processes, run);
        one.perSecond.push(perSecond);
        one.usedPercent.push(usedPercent);
        bench.say(`  run ${run}: ${one.processes} processes ${Math.round(perSecond)}/s, ${usedPercent.toFixed(1)} %`);
      }
    }
  } finally {
    await bench.stack.resume('consumer');
  }
  if (isVerifiable && !(await isVerified(bench))) throw new Error('verify found a number that is wrong');
  const notes = [
    `A topic of 12 partitions is filled before; ${LINKS.toLocaleString('en-US')} links, Zipf-like. PostgreSQL and Kafka have no limit.`,
    'The ledger has each visit that was produced exactly once; `hopcount verify` then finds no difference.',
  ];
  return { title, notes, figures: cases.flatMap((one) => figuresOf(one, cases[0] as Case)) };
}

function figuresOf({ processes, atLeast, perSecond, usedPercent }: Case, alone: Case): Figure[] {
  const name = `${processes} ${processes === 1 ? 'process' : 'processes'}`;
  return [
    { name: `${name}: rate`, unit: 'visits/s', value: spreadOf(perSecond) },
    { name: `${name}: core used by each`, unit: '%', value: spreadOf(usedPercent) },
    ...(atLeast === undefined
      ? []
      : [{ name: `${name} / one`, unit: 'x', value: ratioSpread(perSecond, alone.perSecond), target: { atLeast } }]),
  ];
}

async function measure(bench: BenchStack, environment: NodeJS.ProcessEnv, processes: number, run: number) {
  const consumers: ProcessBeside[] = [];
  const quotas = Array.from({ length: processes }, (_, nth) => new CpuQuota(String(nth), PERCENT_OF_CORE));
  const produced = new Set<string>();
  const fill = (count: number) =>
    produceVisits(bench.stack.file.kafkaBrokers, count, {
      ...{ nextLink: zipfPicker(seededRandom(run), LINKS), seed: run },
      look: ({ eventId }) => produced.add(eventId),
    });
  try {
    await startConsumers(consumers, processes, environment);
    const [start, visitsBefore] = [await countedOffsets(bench), await countedVisits(bench)];
    await fill(WARM_UP_VISITS);
    await until(async () => (await countedOffsets(bench)) >= start + WARM_UP_VISITS);
    consumers.forEach(({ pid }, nth) => quotas[nth]?.limit(pid));
    await fillBeforeCounting(bench, () => fill(VISITS));
    const used = () => consumers.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
    const [startedMs, usedBefore] = [performance.now(), used()];
    await until(async () => (await countedOffsets(bench)) >= start + WARM_UP_VISITS + VISITS);
    const seconds = (performance.now() - startedMs) / 1_000;
    const usedPercent = (100 * (used() - usedBefore)) / seconds / processes;
    await expectExactlyOnce(bench, produced, visitsBefore);
    return { perSecond: VISITS / seconds, usedPercent };
  } finally {
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
