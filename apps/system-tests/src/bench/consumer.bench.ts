import { setTimeout as sleep } from 'node:timers/promises';

import { Client, escapeIdentifier, escapeLiteral } from 'pg';

import { environmentOf } from '../harness/environment-of.js';
import { readMetric } from '../harness/metrics.js';
import { startBeside } from '../harness/process-beside.js';
import { flushRedis } from '../harness/redis.js';
import { seededRandom, zipfPicker } from '../harness/random.js';
import { type BenchStack, forgetVisits, LINKS } from './bench-stack.js';
import { countedOffsets } from './counted.js';
import { LedgerCopy } from './ledger-copy.js';
import { ratioSpread, spreadOf } from './numbers.js';
import { cpuSeconds, rssMb } from './process-usage.js';
import { produceVisits } from './produce-visits.js';
import type { Figure, Section } from './report.js';

const VISITS = 400_000;
const POLL_MS = 20;
const MB_AT_MOST = 350;

interface Samples {
  consumer: number[];
  /** Of a visit. */
  consumerCpuUs: number[];
  postgresCpuUs: number[];
  rssMb: number[];
  walBytes: number[];
  batch: number[];
  ledgerAlone: number[];
  copy: number[];
}

interface Case {
  name: string;
  many: boolean;
  /** In capitals: of the consumer. Others: of PostgreSQL. */
  settings: Record<string, string>;
  samples: Samples;
}

/** (b) One consumer process from a filled topic, beside the same rows written with nothing around them. */
export async function benchConsumer(bench: BenchStack): Promise<Section[]> {
  const cases = casesOf(bench.settings);
  const [pid = 0] = (await bench.stack.read()).processes.consumer;
  const environment = environmentOf(pid);
  await bench.stack.hold('consumer');
  try {
    // The first run warms PostgreSQL up and is thrown away.
    for (let run = 0; run <= bench.runs; run += 1) {
      for (const one of cases) {
        await measure(bench, environment, one, run);
        if (run === 0) one.samples = emptySamples();
        else bench.say(`  run ${run}: ${one.name} ${Math.round(one.samples.consumer.at(-1) ?? 0)}/s`);
      }
    }
  } finally {
    await configurePostgres(bench, {});
    await bench.stack.resume('consumer');
  }
  return cases.map((one) => describeCase(one, bench.settings !== undefined));
}

/** @param given such as `PARTITIONS_CONCURRENTLY=6; wal_compression=lz4`: what is compared with the settings as they are */
function casesOf(given: string | undefined): Case[] {
  const manyLinks = `${LINKS.toLocaleString('en-US')} links, Zipf-like`;
  const make = (name: string, many: boolean, settings: Record<string, string> = {}) => ({
    name,
    many,
    settings,
    samples: emptySamples(),
  });
  if (given === undefined) return [make(manyLinks, true), make('one hot link', false)];
  return ['', ...given.split(';')].map((text) => {
    const pairs = text
      .trim()
      .split(/\s+/)
      .filter(Boolean)
      .map((pair) => pair.split('='));
    const settings = Object.fromEntries(pairs) as Record<string, string>;
    return make(`${manyLinks}, ${text.trim() || 'settings as they are'}`, true, settings);
  });
}

async function measure(bench: BenchStack, environment: NodeJS.ProcessEnv, one: Case, run: number): Promise<void> {
  const { stack, pool } = bench;
  const { many, settings, samples } = one;
  await forgetVisits(pool);
  await flushRedis(stack.file.redisUrl);
  await configurePostgres(bench, settings);
  const nextLink = many ? zipfPicker(seededRandom(run + 1), LINKS) : () => 0;
  await produceVisits(stack.file.kafkaBrokers, VISITS, { nextLink, seed: run + 1 });
  const before = await countedOffsets(bench);
  const consumer = await startBeside('consumer', { ...environment, ...settings });
  try {
    bench.measured.push({ what: `consumer, ${one.name}, run ${run}`, pid: consumer.pid });
    const { perSecond, consumerCpuUs, postgresCpuUs, walBytes } = await timeCounting(bench, before, consumer.pid);
    samples.consumer.push(perSecond);
    samples.consumerCpuUs.push(consumerCpuUs);
    samples.postgresCpuUs.push(postgresCpuUs);
    samples.walBytes.push(walBytes);
    samples.rssMb.push(rssMb(consumer.pid));
    const batches = await readMetric([consumer.opsUrl], 'hopcount_batch_size_records_count');
    samples.batch.push((await readMetric([consumer.opsUrl], 'hopcount_batch_size_records_sum')) / batches);
  } finally {
    await consumer.stop(); // nobody else writes while the same rows are written bare
  }
  const copy = await LedgerCopy.take(pool);
  const batchSize = Math.round(samples.batch.at(-1) ?? 1);
  await forgetVisits(pool);
  samples.ledgerAlone.push(await copy.insertIntoLedger(batchSize));
  samples.copy.push(await copy.copyIntoBareTable(batchSize));
  await forgetVisits(pool);
}

function configurePostgres(bench: BenchStack, settings: Record<string, string>): Promise<void> {
  if (bench.settings === undefined) return Promise.resolve();
  const theirs = Object.entries(settings).filter(([name]) => /[a-z]/.test(name));
  const set = theirs.map(([name, value]) => `ALTER SYSTEM SET ${escapeIdentifier(name)} = ${escapeLiteral(value)}`);
  return asAdmin(bench, ['ALTER SYSTEM RESET ALL', ...set, 'SELECT pg_reload_conf()']);
}

async function asAdmin({ stack }: BenchStack, statements: string[]): Promise<void> {
  const { databaseUrl, databaseAdminUrl = databaseUrl } = stack.file;
  const client = new Client(databaseAdminUrl);
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/**
 * From the first moment at which something was counted to the last: start-up and joining the group
 * are not part of it.
 */
async function timeCounting(bench: BenchStack, before: number, pid: number) {
  const end = before + VISITS;
  let first: Moment | undefined;
  // Compared settings may be about what follows a checkpoint: pages whole in the WAL.
  let checkpointAt = bench.settings === undefined ? Infinity : before + VISITS / 2;
  let checkpointed: Promise<void> | undefined;
  for (;;) {
    const offset = await countedOffsets(bench);
    if (offset >= checkpointAt) {
      checkpointAt = Infinity;
      checkpointed = asAdmin(bench, ['CHECKPOINT']);
    }
    if (offset >= end && first !== undefined) {
      const last = await moment(bench, offset, pid);
      await checkpointed;
      return since(first, last);
    }
    if (first === undefined && offset > before) first = await moment(bench, offset, pid);
    await sleep(POLL_MS);
  }
}

interface Moment {
  offset: number;
  atMs: number;
  consumerSeconds: number;
  postgresSeconds: number;
  walBytes: number;
}

async function moment(bench: BenchStack, offset: number, pid: number): Promise<Moment> {
  const { rows } = await bench.pool.query<{ bytes: string }>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS bytes`,
  );
  return {
    walBytes: Number(rows[0]?.bytes),
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
    walBytes: (last.walBytes - first.walBytes) / counted,
  };
}

/** CPU of the consumer's sessions so far. */
async function postgresSeconds({ pool }: BenchStack): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE application_name = 'hopcount-consumer'`,
  );
  return rows.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
}

function describeCase({ name, many, samples }: Case, isCompared: boolean): Section {
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
    { name: 'consumer / ledger alone', unit: 'x', value: ratio, ...(many && { target: { atLeast: 0.35 } }) },
    { name: 'WAL a visit', unit: 'bytes', value: spreadOf(samples.walBytes) },
    { name: 'consumer: RSS', unit: 'MB', value: spreadOf(samples.rssMb), target: { atMost: MB_AT_MOST } },
  ];
  return {
    title: `Consumer: one process, ${VISITS.toLocaleString('en-US')} visits from a filled topic, ${name}`,
    notes: [
      ...(isCompared ? ['A checkpoint of PostgreSQL after half of the visits.'] : []),
      `Mean batch ${Math.round(spreadOf(samples.batch).median)} records; the bare writers use batches of that size on 3 connections.`,
      'synchronous_commit on; client, consumer, Kafka and PostgreSQL share the cores.',
    ],
    figures,
  };
}

function emptySamples(): Samples {
  return {
    ...{ consumer: [], consumerCpuUs: [], postgresCpuUs: [], rssMb: [], walBytes: [] },
    ...{ batch: [], ledgerAlone: [], copy: [] },
  };
}
