import { setTimeout as sleep } from 'node:timers/promises';

import { readMetric } from '../harness/metrics.js';
import { flushRedis } from '../harness/redis.js';
import { seededRandom, zipfPicker } from '../harness/random.js';
import { type BenchStack, forgetVisits, LINKS } from './bench-stack.js';
import { countedOffsets } from './counted.js';
import { LedgerCopy } from './ledger-copy.js';
import { ratioSpread, spreadOf } from './numbers.js';
import { cpuSeconds, rssMb } from './process-usage.js';
import { produceVisits } from './produce-visits.js';
import type { Figure, Section } from './report.js';

const VISITS = 150_000;
const POLL_MS = 20;
const MB_AT_MOST = 350;

interface Samples {
  consumer: number[];
  /** Of a visit. */
  consumerCpuUs: number[];
  postgresCpuUs: number[];
  rssMb: number[];
  batch: number[];
  ledgerAlone: number[];
  copy: number[];
}

/** (b) One consumer process from a filled topic, beside the same rows written with nothing around them. */
export async function benchConsumer(bench: BenchStack): Promise<Section[]> {
  const cases = [
    { name: `${LINKS.toLocaleString('en-US')} links, Zipf-like`, many: true, samples: emptySamples() },
    { name: 'one hot link', many: false, samples: emptySamples() },
  ];
  // The first run warms PostgreSQL up and is thrown away.
  for (let run = 0; run <= bench.runs; run += 1) {
    for (const one of cases) {
      await measure(bench, one.many, run, one.samples);
      if (run === 0) one.samples = emptySamples();
      else bench.say(`  run ${run}: ${one.name} ${Math.round(one.samples.consumer.at(-1) ?? 0)}/s`);
    }
  }
  return cases.map(({ name, many, samples }) => describeCase(name, many, samples));
}

async function measure(bench: BenchStack, many: boolean, run: number, samples: Samples): Promise<void> {
  const { stack, pool } = bench;
  await stack.hold('consumer');
  await forgetVisits(pool);
  await flushRedis(stack.file.redisUrl);
  const nextLink = many ? zipfPicker(seededRandom(run + 1), LINKS) : () => 0;
  await produceVisits(stack.file.kafkaBrokers, VISITS, { nextLink, seed: run + 1 });
  const before = await countedOffsets(bench);
  await stack.resume('consumer');
  const [pid = 0] = (await stack.read()).processes.consumer;
  bench.measured.push({ what: `consumer, ${many ? 'many links' : 'hot link'}, run ${run}`, pid });
  const { perSecond, consumerCpuUs, postgresCpuUs } = await timeCounting(bench, before, pid);
  samples.consumer.push(perSecond);
  samples.consumerCpuUs.push(consumerCpuUs);
  samples.postgresCpuUs.push(postgresCpuUs);
  samples.rssMb.push(rssMb(pid));
  const urls = stack.file.opsUrls.consumer;
  const batches = await readMetric(urls, 'hopcount_batch_size_records_count');
  samples.batch.push((await readMetric(urls, 'hopcount_batch_size_records_sum')) / batches);

  await stack.hold('consumer'); // nobody else writes while the same rows are written bare
  const copy = await LedgerCopy.take(pool);
  const batchSize = Math.round(samples.batch.at(-1) ?? 1);
  await forgetVisits(pool);
  samples.ledgerAlone.push(await copy.insertIntoLedger(batchSize));
  samples.copy.push(await copy.copyIntoBareTable(batchSize));
  await forgetVisits(pool);
  await stack.resume('consumer');
}

/**
 * From the first moment at which something was counted to the last: start-up and joining the group
 * are not part of it.
 */
async function timeCounting(bench: BenchStack, before: number, pid: number) {
  const end = before + VISITS;
  let first: Moment | undefined;
  for (;;) {
    const offset = await countedOffsets(bench);
    if (offset >= end && first !== undefined) return since(first, await moment(bench, offset, pid));
    if (first === undefined && offset > before) first = await moment(bench, offset, pid);
    await sleep(POLL_MS);
  }
}

interface Moment {
  offset: number;
  atMs: number;
  consumerSeconds: number;
  postgresSeconds: number;
}

async function moment(bench: BenchStack, offset: number, pid: number): Promise<Moment> {
  return {
    ...{ offset, atMs: performance.now(), consumerSeconds: cpuSeconds(pid) },
    postgresSeconds: await postgresSeconds(bench),
  };
}

function since(first: Moment, last: Moment) {
  const counted = last.offset - first.offset;
  return {
    perSecond: counted / ((last.atMs - first.atMs) / 1_000),
    consumerCpuUs: ((last.consumerSeconds - first.consumerSeconds) / counted) * 1e6,
    postgresCpuUs: ((last.postgresSeconds - first.postgresSeconds) / counted) * 1e6,
  };
}

/** CPU of the consumer's sessions so far. */
async function postgresSeconds({ pool }: BenchStack): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE application_name = 'hopcount-consumer'`,
  );
  return rows.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
}

function describeCase(name: string, many: boolean, samples: Samples): Section {
  const ratio = ratioSpread(samples.consumer, samples.ledgerAlone);
  const figures: Figure[] = [
    {
      name: 'consumer',
      unit: 'visits/s',
      value: spreadOf(samples.consumer),
      ...(many && { target: { atLeast: 10_000 } }),
    },
    { name: 'CPU a visit: consumer', unit: 'µs', value: spreadOf(samples.consumerCpuUs), target: { atMost: 26 } },
    {
      name: 'CPU a visit: PostgreSQL for it',
      unit: 'µs',
      value: spreadOf(samples.postgresCpuUs),
      target: { atMost: 20 },
    },
    { name: 'the same batches into the ledger alone', unit: 'visits/s', value: spreadOf(samples.ledgerAlone) },
    { name: 'the same batches into a bare copy, COPY', unit: 'visits/s', value: spreadOf(samples.copy) },
    { name: 'consumer / ledger alone', unit: 'x', value: ratio, ...(many && { target: { atLeast: 0.42 } }) },
    { name: 'consumer: RSS', unit: 'MB', value: spreadOf(samples.rssMb), target: { atMost: MB_AT_MOST } },
  ];
  return {
    title: `Consumer: one process, ${VISITS.toLocaleString('en-US')} visits from a filled topic, ${name}`,
    notes: [
      `Mean batch ${Math.round(spreadOf(samples.batch).median)} records; the bare writers use batches of that size on 3 connections.`,
      'synchronous_commit on; client, consumer, Kafka and PostgreSQL share the cores.',
    ],
    figures,
  };
}

function emptySamples(): Samples {
  return { consumer: [], consumerCpuUs: [], postgresCpuUs: [], rssMb: [], batch: [], ledgerAlone: [], copy: [] };
}
