import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

import type { StackFile } from '@hopcount/contracts';
import type { Pool } from 'pg';

import { type BenchStack } from '../bench-stack.js';
import { type ProcessBeside, startBeside } from '../../harness/process-beside.js';
import { peakRssMb } from '../process-usage.js';

const LOOK_EVERY_MS = 500;
const SAY_EVERY_MS = 15_000;
const MERGED_WITHIN_MS = 1_800_000;
/** Days and closed months become one file each; the last days of a month settle first. */
const UNMERGED = `SELECT FROM archive_files
  WHERE state = 'active' AND (level = 'hour' OR (level = 'day' AND period_start < date_trunc('month', now() - interval '3 days')))
  GROUP BY level, date_trunc('month', period_start) HAVING count(*) > 1`;
/** Days of the busy link whose buckets lie in the order of time still, see `gather-buckets`: it takes a day three hours after its end. */
const UNGATHERED = `SELECT FROM (SELECT date_bin('1 day', bucket, '2000-01-01 00:00:00+00') AS day, (ctid::text::point)[0] AS page
    FROM link_traffic WHERE link_id = $1 AND bucket < date_trunc('day', now() - interval '3 hours', 'UTC')) AS bucket
  GROUP BY day HAVING count(*) >= 32 AND count(DISTINCT page) > 8`;
const ACTIVE = `SELECT count(*)::int AS files, coalesce(sum(visits), 0)::float8 AS visits, coalesce(sum(bytes), 0)::float8 AS bytes
  FROM archive_files WHERE state = 'active'`;

export interface ActiveFiles {
  files: number;
  visits: number;
  bytes: number;
}

export interface Timed {
  seconds: number;
  peakRssMb: number;
}

/** `hopcount archive seal --execute` in a process of its own. */
export async function sealHistory(bench: BenchStack, archiveFolder: string): Promise<Timed & { files: number }> {
  const sealed = await runArchiveCommand(bench, archiveFolder, { command: ['seal', '--execute'], what: 'sealed' });
  return { ...sealed, files: (await activeFiles(bench.pool)).files };
}

/** `hopcount archive verify` in a process of its own: everything is to be as it was sealed. */
export async function verifyHistory(bench: BenchStack, archiveFolder: string): Promise<Timed> {
  return runArchiveCommand(bench, archiveFolder, { command: ['verify'], what: 'to be verified' });
}

/** `seconds`: what its audit row says, without start and look. @throws when it does not end well */
async function runArchiveCommand(
  bench: BenchStack,
  archiveFolder: string,
  { command, what }: { command: string[]; what: string },
): Promise<Timed> {
  const child = spawn(process.execPath, [`${process.cwd()}/apps/cli/bin/hopcount.mjs`, 'archive', ...command], {
    env: { ...process.env, ...servicesOf(bench.stack.file), ARCHIVE_URL: archiveFolder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  let exitCode: number | null | undefined;
  child.once('exit', (code) => (exitCode = code));
  const peak = await watch(bench, { pid: child.pid ?? 0, what }, () => Promise.resolve(exitCode !== undefined));
  const name = `archive ${command[0]}`;
  if (exitCode !== 0) throw new Error(`hopcount ${name} ended with ${exitCode}: ${said.slice(-2_000)}`);
  const { rows } = await bench.pool.query<{ seconds: number }>(
    `SELECT extract(epoch FROM ended_at - started_at)::float8 AS seconds FROM operator_actions
     WHERE command = $1 ORDER BY id DESC LIMIT 1`,
    [name],
  );
  return { seconds: rows[0]?.seconds ?? 0, peakRssMb: peak };
}

/** A worker of its own until every closed day and month is one file; `seconds` are those. Then until the link's buckets are gathered. */
export async function mergeHistory(
  bench: BenchStack,
  environment: NodeJS.ProcessEnv,
  busyLinkId: string,
): Promise<Timed> {
  // No month is dropped before its buckets are gathered.
  const settings = { SEAL_INTERVAL_MS: '100', LEDGER_DAYS: '1000' };
  const worker: ProcessBeside = await startBeside('worker', { ...environment, ...settings });
  try {
    await worker.ready();
    const startedMs = performance.now();
    const isNone = (statement: string, values: string[]) => async () => {
      if (performance.now() - startedMs > MERGED_WITHIN_MS)
        throw new Error('the files were not merged, and buckets gathered, in half an hour');
      return (await bench.pool.query(statement, values)).rowCount === 0;
    };
    const peak = await watch(bench, { pid: worker.pid, what: 'merged' }, isNone(UNMERGED, []));
    const seconds = (performance.now() - startedMs) / 1_000;
    await watch(bench, { pid: worker.pid, what: 'merged; buckets are gathered' }, isNone(UNGATHERED, [busyLinkId]));
    return { seconds, peakRssMb: peak };
  } finally {
    await worker.stop();
  }
}

export async function activeFiles(pool: Pool): Promise<ActiveFiles> {
  const { rows } = await pool.query<ActiveFiles>(ACTIVE);
  return rows[0] ?? { files: 0, visits: 0, bytes: 0 };
}

/** Says how far it came. @returns the most memory the process ever held */
async function watch(
  { pool, say }: BenchStack,
  { pid, what }: { pid: number; what: string },
  isDone: () => Promise<boolean>,
): Promise<number> {
  let peak = 0;
  let saidAtMs = performance.now();
  while (!(await isDone())) {
    peak = Math.max(peak, peakRssMb(pid) ?? 0);
    if (performance.now() - saidAtMs > SAY_EVERY_MS) {
      const { files, visits } = await activeFiles(pool);
      say(`  ${what}: ${visits.toLocaleString('en-US')} visits are in ${files.toLocaleString('en-US')} files`);
      saidAtMs = performance.now();
    }
    await sleep(LOOK_EVERY_MS);
  }
  return peak;
}

function servicesOf({ databaseUrl, redisUrl, kafkaBrokers }: StackFile): NodeJS.ProcessEnv {
  return { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, KAFKA_BROKERS: kafkaBrokers };
}
