import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { call, keepAliveAgent } from '../../harness/http.js';
import { readMetric } from '../../harness/metrics.js';
import { seededRandom, zipfPicker } from '../../harness/random.js';
import { Arrivals, PER_SECOND } from '../arrivals.js';
import { type BenchStack, LINKS } from '../bench-stack.js';
import { percentile, ratioSpread, spreadOf } from '../numbers.js';
import { rssMb } from '../process-usage.js';
import { openVisitProducer } from '../produce-visits.js';
import type { Figure, Section } from '../report.js';
import { timeRequests } from '../time-requests.js';
import { ask, type Question } from './ask-history.js';

const READERS = 20;
const COUNTED_SECONDS = 15;
/** Its answers are those of a second: each of these requests comes when the one before is too old. */
const LIVE_REQUESTS = 10;
const LIVE_EVERY_MS = 1_100;
const EXPORT_SECONDS = 20;
const REQUESTS = 20;

export interface ApiBeside {
  url: string;
  pid: number;
}

/** What is asked of the open day: live visits, an export of everything, and many readers while visits are counted. */
export async function benchBeside(
  bench: BenchStack,
  api: ApiBeside,
  { questions, withToday }: { questions: readonly Question[]; withToday: readonly Question[] },
): Promise<Section> {
  const live = await timeLive(bench, api);
  bench.say(`  live: p95 ${percentile(live, 95).toFixed(1)} ms`);
  const asked = await askWithToday(bench, api, withToday);
  const exported = await exportAll(bench, api);
  bench.say(`  export: first byte after ${exported.firstByteMs.toFixed(0)} ms`);
  const commits = await countBesideReaders(bench, api, questions);
  return {
    title: `Open day: live, export of all visits, ${READERS} readers while ${PER_SECOND.toLocaleString('en-US')} visits/s are counted`,
    notes: [
      `${bench.visits.toLocaleString('en-US')} visits in files, a tenth as many today. Live: ${LIVE_REQUESTS} requests, each counted anew. All links: ${REQUESTS} requests one after the other, today included. Export: CSV, oldest first, for ${EXPORT_SECONDS} s.`,
      `Readers ask the questions of the archive's section, in turn, without a pause; a batch is all a consumer does of one, commit included. ${COUNTED_SECONDS} s each, with and without readers in turns; each time with them against the mean of those before and after.`,
    ],
    figures: [
      { name: 'live: p95', unit: 'ms', value: spreadOf([percentile(live, 95)]), target: { atMost: 20 } },
      ...asked,
      { name: 'export: first byte', unit: 'ms', value: spreadOf([exported.firstByteMs]), target: { atMost: 200 } },
      { name: 'export: MB/s', unit: 'MB/s', value: spreadOf([exported.megabytes / EXPORT_SECONDS]) },
      { name: 'export: RSS of the api before', unit: 'MB', value: spreadOf([exported.beforeMb]) },
      { name: 'export: most RSS in the first half', unit: 'MB', value: spreadOf([exported.firstHalfMb]) },
      { name: 'export: most RSS in the second half', unit: 'MB', value: spreadOf([exported.secondHalfMb]) },
      { name: 'a batch without readers', unit: 'ms', value: commits.alone },
      { name: `a batch beside ${READERS} readers`, unit: 'ms', value: commits.beside },
      { name: 'beside / without', unit: 'x', value: commits.ratio, target: { atMost: 1.1 } },
      { name: 'visits counted without readers', unit: 'visits/s', value: commits.aloneRate },
      { name: 'visits counted beside readers', unit: 'visits/s', value: commits.besideRate },
      { name: 'answers to the readers', unit: '/s', value: commits.answers },
    ],
  };
}

interface Counted {
  batchMs: number;
  perSecond: number;
}

/** What files and the open day answer together. */
async function askWithToday(bench: BenchStack, { url }: ApiBeside, questions: readonly Question[]): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const question of questions) {
    const { timesMs } = await ask(bench, url, question, REQUESTS);
    const p95 = percentile(timesMs, 95);
    bench.say(`  ${question.name}: p95 ${p95.toFixed(1)} ms`);
    const target = question.atMostMs === undefined ? {} : { target: { atMost: question.atMostMs } };
    figures.push({ name: `p95: ${question.name}`, unit: 'ms', value: spreadOf([p95]), ...target });
  }
  return figures;
}

async function timeLive({ stack }: BenchStack, { url }: ApiBeside): Promise<number[]> {
  const api = { stack: { file: { apiUrl: url, apiKey: stack.file.apiKey } } };
  const timesMs: number[] = [];
  for (let nth = 0; nth <= LIVE_REQUESTS; nth += 1) {
    const [timeMs = 0] = await timeRequests(api, 1, '/rest/v3/statistics/live');
    if (nth > 0) timesMs.push(timeMs);
    await sleep(LIVE_EVERY_MS);
  }
  return timesMs;
}

/** Read as fast as it comes, and broken off. */
async function exportAll({ stack }: BenchStack, { url, pid }: ApiBeside) {
  const beforeMb = rssMb(pid);
  const most = [beforeMb, beforeMb];
  let [firstByteMs, bytes] = [Number.POSITIVE_INFINITY, 0];
  const startedMs = performance.now();
  const sent = request(`${url}/rest/v3/exports/visits?format=csv`, { headers: { 'x-api-key': stack.file.apiKey } });
  sent.on('response', (answer) => {
    answer.on('data', (chunk: Buffer) => {
      if (bytes === 0) firstByteMs = performance.now() - startedMs;
      bytes += chunk.length;
    });
    answer.on('error', () => undefined);
  });
  sent.on('error', () => undefined);
  sent.end();
  for (const half of [0, 1]) {
    const untilMs = startedMs + (EXPORT_SECONDS / 2) * 1_000 * (half + 1);
    for (; performance.now() < untilMs; await sleep(100)) most[half] = Math.max(most[half] ?? 0, rssMb(pid));
  }
  sent.destroy();
  const [firstHalfMb = 0, secondHalfMb = 0] = most;
  return { firstByteMs, megabytes: bytes / 1e6, beforeMb, firstHalfMb, secondHalfMb };
}

async function countBesideReaders(bench: BenchStack, api: ApiBeside, questions: readonly Question[]) {
  const { stack } = bench;
  const nextLink = zipfPicker(seededRandom(3), LINKS);
  await stack.resume('consumer');
  const arrivals = new Arrivals(await openVisitProducer(stack.file.kafkaBrokers, { nextLink }));
  try {
    await sleep(COUNTED_SECONDS * 1_000);
    const [alone, beside, answers] = [new Array<Counted>(), new Array<Counted>(), new Array<number>()];
    // Before and after each time with readers: what drifts meanwhile is not laid on them.
    alone.push(await countFor(bench));
    for (let run = 1; run <= bench.runs; run += 1) {
      const readers = startReaders(bench, api, questions);
      beside.push(await countFor(bench));
      answers.push((await readers.stop()) / COUNTED_SECONDS);
      alone.push(await countFor(bench));
      const [before, after] = alone.slice(-2).map(({ batchMs }) => batchMs.toFixed(1));
      bench.say(
        `  run ${run}: a batch ${beside.at(-1)?.batchMs.toFixed(1)} ms beside readers, ${before} before, ${after} after`,
      );
    }
    const batches = (counted: Counted[]) => counted.map(({ batchMs }) => batchMs);
    const around = batches(alone).flatMap((before, nth, all) => {
      const after = all[nth + 1];
      return after === undefined ? [] : [(before + after) / 2];
    });
    return {
      alone: spreadOf(batches(alone)),
      beside: spreadOf(batches(beside)),
      ratio: ratioSpread(batches(beside), around),
      aloneRate: spreadOf(alone.map(({ perSecond }) => perSecond)),
      besideRate: spreadOf(beside.map(({ perSecond }) => perSecond)),
      answers: spreadOf(answers),
    };
  } finally {
    await arrivals.stop();
    await stack.hold('consumer');
  }
}

/** What batches took on average, and how many visits they had in a second. */
async function countFor({ stack }: BenchStack): Promise<Counted> {
  const urls = (await stack.read()).opsUrls.consumer;
  const names = [
    'hopcount_batch_duration_seconds_sum',
    'hopcount_batch_duration_seconds_count',
    'hopcount_visits_counted_total',
  ];
  const look = () => Promise.all(names.map((name) => readMetric(urls, name)));
  const before = await look();
  await sleep(COUNTED_SECONDS * 1_000);
  const [seconds = 0, batches = 0, visits = 0] = (await look()).map((value, nth) => value - (before[nth] ?? 0));
  return { batchMs: (seconds / batches) * 1_000, perSecond: visits / COUNTED_SECONDS };
}

function startReaders({ stack }: BenchStack, { url }: ApiBeside, questions: readonly Question[]) {
  const agent = keepAliveAgent(READERS);
  const headers = { 'x-api-key': stack.file.apiKey };
  let [isStopped, answers] = [false, 0];
  const read = async (reader: number) => {
    for (let nth = reader; !isStopped; nth += 1) {
      const question = questions[nth % questions.length];
      const answer = await call(`${url}${question?.path}`, { headers, agent, timeoutMs: 60_000 }).catch(
        () => undefined,
      );
      if (answer?.status === 200 && !isStopped) answers += 1;
      if (answer?.status !== 200) await sleep(100);
    }
  };
  const running = Promise.all(Array.from({ length: READERS }, (_, reader) => read(reader)));
  return {
    stop: async () => {
      isStopped = true;
      await running;
      agent.destroy();
      return answers;
    },
  };
}
