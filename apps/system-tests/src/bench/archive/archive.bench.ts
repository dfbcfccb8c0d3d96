import { freePorts } from '@hopcount/testing';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { environmentOf } from '../../harness/environment-of.js';
import { type ProcessKind } from '../../harness/stack.js';
import { type BenchStack, forgetVisits } from '../bench-stack.js';
import { percentile, spreadOf } from '../numbers.js';
import { startBeside } from '../../harness/process-beside.js';
import { rssMb } from '../process-usage.js';
import type { Figure, Section } from '../report.js';
import { type ApiBeside, benchBeside } from './ask-beside.js';
import { ask, type Asked, type Question, questionsOf, questionsOfAll } from './ask-history.js';
import { dropMonth, fillToday, forgetHistory, type History, makeHistory } from './history.js';
import { type ActiveFiles, activeFiles, mergeHistory, sealHistory, type Timed, verifyHistory } from './seal-history.js';

/** They share the machine with what is measured. */
const IDLE: ProcessKind[] = ['gateway', 'consumer', 'worker'];
const REQUESTS = 20;
/** Seconds each, where the ledger has to be read. */
const LEDGER_REQUESTS = 3;

/** (h) The archive: a history sealed and merged, then asked; the same questions of PostgreSQL alone. */
export function benchArchive(bench: BenchStack): Promise<Section[]> {
  return withHistory(bench, async ({ history, folder, environments }) => {
    const { pool, say } = bench;
    const ledgerBytes = await sizeOfLedger(bench);
    say('  asking PostgreSQL alone');
    const questions = [...questionsOf(history, ['UTC']), ...questionsOfAll(history)];
    const once = { runs: 1, requests: LEDGER_REQUESTS };
    const alone = await askAll(bench, bench.stack.file.apiUrl, questions, once);
    const { sealed, merged } = await archive(bench, folder, environments.worker, history);
    say('  verifying');
    const verified = await verifyHistory(bench, folder);
    for (const month of history.months.slice(0, -1)) await dropMonth(pool, month);
    const files = await activeFiles(pool);
    say('  asking the archive');
    return [
      describeSealing(history, { sealed, merged, verified, files, ledgerBytes }),
      ...(await askArchive(bench, environments.api, history, alone)),
    ];
  });
}

/** (i) What is asked of the open day, beside such a history. */
export function benchOpenDay(bench: BenchStack): Promise<Section> {
  return withHistory(bench, async ({ history, folder, environments }) => {
    await archive(bench, folder, environments.worker, history);
    for (const month of history.months.slice(0, -1)) await dropMonth(bench.pool, month);
    bench.say('  making the visits of today');
    await fillToday(bench.pool, history, Math.round(bench.visits / 10));
    // As the worker, which is held, does all day: the hours of today that are closed.
    bench.say('  sealing its closed hours');
    await sealHistory(bench, folder);
    const questions = [...questionsOf(history), ...questionsOfAll(history)];
    const withToday = questionsOfAll({ from: history.from, to: Date.now() });
    return withApi(environments.api, (api) => benchBeside(bench, api, { questions, withToday }));
  });
}

interface WithHistory {
  history: History;
  folder: string;
  environments: Record<'api' | 'worker', NodeJS.ProcessEnv>;
}

async function withHistory<T>(bench: BenchStack, work: (given: WithHistory) => Promise<T>): Promise<T> {
  const { stack, pool, say } = bench;
  const folder = join(stack.dataDir, 'bench-archive');
  const { processes } = await stack.read();
  const environment = (kind: 'api' | 'worker') => ({ ...environmentOf(processes[kind][0] ?? 0), ARCHIVE_URL: folder });
  const environments = { api: environment('api'), worker: environment('worker') };
  for (const kind of IDLE) await stack.hold(kind);
  try {
    await forgetVisits(pool);
    await mkdir(folder, { recursive: true });
    say(`  making ${bench.visits.toLocaleString('en-US')} visits`);
    return await work({ history: await makeHistory(bench), folder, environments });
  } finally {
    await forgetHistory(pool);
    await forgetVisits(pool);
    await rm(folder, { recursive: true, force: true });
    for (const kind of IDLE) await stack.resume(kind);
  }
}

async function archive(bench: BenchStack, folder: string, worker: NodeJS.ProcessEnv, { links }: History) {
  bench.say('  sealing');
  const sealed = await sealHistory(bench, folder);
  bench.say(`  sealed in ${Math.round(sealed.seconds)} s; merging`);
  return { sealed, merged: await mergeHistory(bench, worker, links.middle.id) };
}

/** An api of its own, which has the archive. */
async function withApi<T>(environment: NodeJS.ProcessEnv, work: (api: ApiBeside) => Promise<T>): Promise<T> {
  const [port] = await freePorts(1);
  const api = await startBeside('api', { ...environment, API_PORT: String(port) });
  try {
    await api.ready();
    return await work({ url: `http://127.0.0.1:${port}`, pid: api.pid });
  } finally {
    await api.stop();
  }
}

function describeSealing(
  { visits, months, links }: History,
  parts: { sealed: Timed & { files: number }; merged: Timed; verified: Timed; files: ActiveFiles; ledgerBytes: number },
): Section {
  const { sealed, merged, verified, files, ledgerBytes } = parts;
  const one = (name: string, unit: string, value: number, target?: Figure['target']): Figure => ({
    name,
    unit,
    value: spreadOf([value]),
    ...(target && { target }),
  });
  const special = Object.values(links).map((link) => link.visits.toLocaleString('en-US'));
  return {
    title: `Archive: ${visits.toLocaleString('en-US')} visits over ${months.length} months, sealed, merged and verified`,
    notes: [
      `50,002 links, drawn Zipf-like but for links of ${special.join(', ')} visits. Rows made in PostgreSQL, not counted in any rate.`,
      `Sealed by \`hopcount archive seal\`, ${sealed.files.toLocaleString('en-US')} files; merged by a worker into ${files.files}.`,
    ],
    figures: [
      one('sealed', 'visits/s', visits / sealed.seconds, { atLeast: 100_000 }),
      one('sealing process: most RSS', 'MB', sealed.peakRssMb),
      one('merged', 'visits/s', visits / merged.seconds),
      one('worker: most RSS', 'MB', merged.peakRssMb),
      one('verified against SHA-256, manifest and buckets', 'visits/s', visits / verified.seconds, {
        atLeast: 1_000_000,
      }),
      one('verifying process: most RSS', 'MB', verified.peakRssMb),
      one('files, bytes a visit', 'B', files.bytes / files.visits, { atMost: 60 }),
      one('PostgreSQL with indexes, bytes a visit', 'B', ledgerBytes / visits),
    ],
  };
}

/** When all months but the last are gone from PostgreSQL. */
function askArchive(
  bench: BenchStack,
  environment: NodeJS.ProcessEnv,
  history: History,
  alone: Map<string, Asked[]>,
): Promise<Section[]> {
  return withApi(environment, async (api) => {
    const [ofLinks, ofAll] = [questionsOf(history), questionsOfAll(history)];
    const asked = await askAll(bench, api.url, [...ofLinks, ...ofAll], { runs: bench.runs, requests: REQUESTS });
    const others: Figure[] = [
      { name: 'api: RSS', unit: 'MB', value: spreadOf([rssMb(api.pid)]) },
      {
        name: 'answers (totals, points, values) that differ from those of PostgreSQL alone',
        unit: '',
        value: spreadOf([countDifferences(alone, asked)]),
        target: { atMost: 0 },
      },
    ];
    return [
      {
        title: 'Archive: statistics of a link (totals, points with visitors and IPs, nine dimensions)',
        notes: [
          `${REQUESTS} requests a run, one after the other, after one to warm up. All months but the last are gone from PostgreSQL.`,
        ],
        figures: [...figuresOf(ofLinks, asked, true), ...others],
      },
      {
        title: 'Archive: statistics of all links over 400 days',
        notes: ['As above. Three filters: two values of one dimension, an exclusion, one value.'],
        figures: figuresOf(ofAll, asked, true),
      },
      {
        title: 'The same questions of PostgreSQL alone',
        notes: [`Every month in the ledger, no files; ${LEDGER_REQUESTS} requests, one run. ∞: no answer in 15 s.`],
        figures: figuresOf([...questionsOf(history, ['UTC']), ...ofAll], alone, false),
      },
    ];
  });
}

async function askAll(
  bench: BenchStack,
  apiUrl: string,
  questions: readonly Question[],
  { runs, requests }: { runs: number; requests: number },
) {
  const asked = new Map<string, Asked[]>(questions.map(({ name }) => [name, []]));
  for (let run = 1; run <= runs; run += 1) {
    for (const question of questions) {
      const one = await ask(bench, apiUrl, question, requests);
      asked.get(question.name)?.push(one);
      bench.say(`  run ${run}: ${question.name}: p95 ${percentile(one.timesMs, 95).toFixed(1)} ms`);
    }
  }
  return asked;
}

function figuresOf(questions: readonly Question[], asked: Map<string, Asked[]>, hasTargets: boolean): Figure[] {
  return questions.flatMap(({ name, atMostMs }): Figure[] => {
    const spread = (percent: number) =>
      spreadOf((asked.get(name) ?? []).map(({ timesMs }) => percentile(timesMs, percent)));
    const atMost = hasTargets ? atMostMs : undefined;
    return [
      { name: `p50: ${name}`, unit: 'ms', value: spread(50) },
      { name: `p95: ${name}`, unit: 'ms', value: spread(95), ...(atMost !== undefined && { target: { atMost } }) },
    ];
  });
}

/** How many questions the archive answers otherwise than PostgreSQL alone did. */
function countDifferences(expected: Map<string, Asked[]>, actual: Map<string, Asked[]>): number {
  const differ = ([name, [first]]: [string, Asked[]]) =>
    first?.answer !== undefined && !isDeepStrictEqual(actual.get(name)?.[0]?.answer, first.answer);
  return [...expected].filter(differ).length;
}

async function sizeOfLedger({ pool }: BenchStack): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>(
    `SELECT sum(pg_total_relation_size(inhrelid))::float8 AS bytes FROM pg_inherits WHERE inhparent = 'visits'::regclass`,
  );
  return rows[0]?.bytes ?? 0;
}
