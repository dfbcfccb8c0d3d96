import { setTimeout as sleep } from 'node:timers/promises';

import { environmentOf } from '../harness/environment-of.js';
import { seededRandom, zipfPicker } from '../harness/random.js';
import { type BenchStack, FIRST_LINK_ID, forgetVisits, LINKS } from './bench-stack.js';
import { countedOffsets } from './counted.js';
import { ratioSpread, spreadOf } from './numbers.js';
import { type ProcessBeside, startBeside, until } from '../harness/process-beside.js';
import { produceVisits } from './produce-visits.js';
import type { Figure, Section } from './report.js';

const VISITS = 60_000;
/** Make the link hot (the first tier is 5,000 visits), so that its slots and its hour's fold are there. */
const WARM_UP_VISITS = 12_000;
const HOT_SLOTS = 16;
const PROCESSES = [1, 2, 4];
const SAMPLE_EVERY_MS = 5;
const APPLICATION = 'hopcount-consumer';
/** Backends of consumers, those waiting for a row another one holds, and those busy at all. */
const SAMPLE = `SELECT
  count(*) FILTER (WHERE wait_event_type = 'Lock' AND wait_event IN ('transactionid', 'tuple'))::int AS waiting,
  count(*) FILTER (WHERE state <> 'idle')::int AS busy
  FROM pg_stat_activity WHERE application_name = $1`;

interface Case {
  name: string;
  slots: string;
  hot: boolean;
  processes: number;
  perSecond: number[];
  waitingPercent: number[];
}

/** (c) What slots are for: consumers counting one hot link, each commit as it is, beside 10,000 links. */
export async function benchSlots(bench: BenchStack): Promise<Section> {
  const kinds = [
    { name: 'one hot link, SLOTS=off', slots: 'off', hot: true },
    { name: 'one hot link, one slot', slots: '1', hot: true },
    { name: 'one hot link, slots by heat', slots: '100', hot: true },
    { name: `${LINKS.toLocaleString('en-US')} links, slots by heat`, slots: '100', hot: false },
  ];
  const cases: Case[] = kinds.flatMap((kind) =>
    PROCESSES.map((processes) => ({ ...kind, processes, perSecond: [], waitingPercent: [] })),
  );
  const [pid = 0] = (await bench.stack.read()).processes.consumer;
  const environment = environmentOf(pid);
  await bench.stack.hold('consumer');
  try {
    for (let run = 1; run <= bench.runs; run += 1) {
      for (const one of cases) {
        const { perSecond, waitingPercent } = await measure(bench, environment, one, run);
        one.perSecond.push(perSecond);
        one.waitingPercent.push(waitingPercent);
        const figures = `${Math.round(perSecond)}/s, waiting ${waitingPercent.toFixed(1)} %`;
        bench.say(`  run ${run}: ${one.name}, ${one.processes} processes: ${figures}`);
      }
    }
  } finally {
    await forgetVisits(bench.pool);
    await bench.stack.resume('consumer');
  }
  return {
    title: `Slots: ${VISITS.toLocaleString('en-US')} visits counted by 1, 2 and 4 consumer processes`,
    notes: [
      "Waiting: of the consumers' busy sessions, those that wait for a row another transaction holds (pg_stat_activity).",
      `The hot link is warm: ${WARM_UP_VISITS.toLocaleString('en-US')} visits are counted before.`,
    ],
    figures: cases.flatMap((one) => figuresOf(one, alone(cases, one))),
  };
}

/** The same with one process. */
function alone(cases: readonly Case[], { name }: Case): Case | undefined {
  return cases.find((other) => other.name === name && other.processes === 1);
}

function figuresOf({ name, processes, perSecond, waitingPercent }: Case, one: Case | undefined): Figure[] {
  const title = `${name}, ${processes} ${processes === 1 ? 'process' : 'processes'}`;
  return [
    { name: title, unit: 'visits/s', value: spreadOf(perSecond) },
    ...(processes > 1 && one !== undefined
      ? [{ name: `${title} / one process`, unit: 'x', value: ratioSpread(perSecond, one.perSecond) }]
      : []),
    { name: `${title}: waiting`, unit: '%', value: spreadOf(waitingPercent) },
  ];
}

async function measure(
  bench: BenchStack,
  environment: NodeJS.ProcessEnv,
  { slots, hot, processes }: Case,
  run: number,
) {
  await forgetVisits(bench.pool);
  const consumers: ProcessBeside[] = [];
  try {
    await startConsumers(consumers, processes, { ...environment, SLOTS: slots });
    const nextLink = hot ? () => 0 : zipfPicker(seededRandom(run), LINKS);
    const fill = (count: number) => produceVisits(bench.stack.file.kafkaBrokers, count, { nextLink, seed: run });
    const start = await countedOffsets(bench);
    await fill(WARM_UP_VISITS);
    await until(async () => (await countedOffsets(bench)) >= start + WARM_UP_VISITS);
    if (hot) await untilLinkIsHot(bench);
    return await timeCounting(bench, () => fill(VISITS));
  } finally {
    await Promise.all(consumers.map((consumer) => consumer.stop()));
  }
}

/** Nobody commits while the topic is filled; from then on the consumers do nothing but count. */
async function timeCounting(bench: BenchStack, fill: () => Promise<void>) {
  const end = (await countedOffsets(bench)) + VISITS;
  const barrier = await bench.pool.connect();
  await barrier.query('BEGIN');
  await barrier.query('LOCK TABLE consumer_checkpoints IN EXCLUSIVE MODE');
  await fill();
  await barrier.query('COMMIT');
  barrier.release();
  const startedMs = performance.now();
  let [waiting, busy] = [0, 0];
  while ((await countedOffsets(bench)) < end) {
    const { rows } = await bench.pool.query<{ waiting: number; busy: number }>(SAMPLE, [APPLICATION]);
    waiting += rows[0]?.waiting ?? 0;
    busy += rows[0]?.busy ?? 0;
    await sleep(SAMPLE_EVERY_MS);
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  return { perSecond: VISITS / seconds, waitingPercent: (100 * waiting) / Math.max(busy, 1) };
}

export async function startConsumers(
  into: ProcessBeside[],
  count: number,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  for (let index = 0; index < count; index += 1) into.push(await startBeside('consumer', environment));
  for (const consumer of into) await consumer.ready();
}

export function untilLinkIsHot(bench: BenchStack): Promise<void> {
  return until(async () => (await slotsOfHotLink(bench)) >= HOT_SLOTS);
}

async function slotsOfHotLink({ pool }: BenchStack): Promise<number> {
  const { rows } = await pool.query<{ slots: number }>('SELECT slots FROM link_heat WHERE link_id = $1', [
    FIRST_LINK_ID.toString(),
  ]);
  return rows[0]?.slots ?? 1;
}
