import { freePorts } from '@hopcount/testing';
import type { ChildProcess } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type CliResult, runCliWith } from './cli.js';
import { type ChildSpec, endChild, launch, loadDeploy } from './own-services.js';

/** What a command finds by its environment. */
export type RunbookServices = Record<string, string>;

/** PostgreSQL whose WAL is archived by pgBackRest, as docs/operations/backup.md sets it up. */
export interface BackedUpPostgres {
  /** As DATABASE_URL wants it. */
  readonly url: string;
  /** Runs the runbook's line of this command of `hopcount`. */
  runbook(command: string, services: RunbookServices): Promise<CliResult>;
  /** Of pgBackRest. */
  readonly config: string;
  /** What it needs besides, of its environment: keys of a bucket. */
  readonly access: Record<string, string>;
  /** Where the runbook's folder is here. */
  readonly besides: string;
  /** SIGKILL, and its data folder is gone. */
  destroy(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Reached by TLS at localhost: pgBackRest looks for no address in a certificate. */
export interface BackupBucket {
  /** `s3://bucket/path`. */
  readonly url: string;
  readonly port: number;
  /** File of the authority that signed its certificate. */
  readonly authority: string;
  readonly key: string;
  readonly secret: string;
}

const PASSWORD = 'backedup';
const RUNBOOK = join(process.cwd(), 'docs/operations/backup.md');

/** @param bucket where backups go; default: a folder */
export async function startBackedUpPostgres(bucket?: BackupBucket): Promise<BackedUpPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'hopcount-backup-'));
  chmodSync(folder, 0o711); // PostgreSQL is no root and must reach its files
  const [port] = (await freePorts(1)) as [number];
  const children: ChildProcess[] = [];
  const { preparePostgres } = await loadDeploy();
  const log = join(folder, 'postgres.log');
  const server = { port, dataDir: folder, password: PASSWORD, log, env: process.env };
  const { spec, folder: home } = await preparePostgres({ ...server, isThrowaway: true });
  const cluster = join(home, 'cluster');
  const [config, besides] = [join(folder, 'pgbackrest.conf'), join(folder, 'besides')];
  // What the runbook's machine has elsewhere.
  const places: [string, string][] = [
    ['/var/lib/pgbackrest', bucket?.url ?? join(folder, 'repo')],
    ['/var/lib/postgresql/15/main', cluster],
    ['/mnt/elsewhere/hopcount', besides],
  ];
  makeFolders(folder, spec);
  const access = bucket === undefined ? {} : accessTo(bucket);
  // The command that fetches WAL after a restore names no file: it would read /etc/pgbackrest.conf.
  const own = {
    ...{ PGBACKREST_CONFIG: config, PGPASSWORD: PASSWORD, PGBACKREST_LOCK_PATH: join(folder, 'lock') },
    PGBACKREST_LOG_PATH: join(folder, 'log'),
    ...access,
  };
  const env = { ...spec.env, ...own };
  const runbook = (command: string, services: RunbookServices) => runLine(command, places, { ...services, ...own });
  const elsewhere = bucket === undefined ? [] : ['--endpoint', 'localhost'];
  const more = ['--socket-folder', join(folder, 'run'), '--port', String(port), '--config', config, ...elsewhere];
  const { stdout: told } = await runLine('backup configure', places, own, more);
  const settings = [...settingsOf(told), `unix_socket_directories=${folder}/run`];
  const args = [...spec.args, ...settings.flatMap((setting) => ['-c', setting])];
  const start = () => launch({ ...spec, args, env }, children);
  const destroy = async () => {
    await Promise.all(children.map(endChild));
    // Its sessions may write a moment longer than it lives.
    rmSync(cluster, { recursive: true, force: true, maxRetries: 50 });
    mkdirSync(cluster, { mode: 0o700 });
    giveTo(cluster, spec);
  };
  const stop = async () => {
    await Promise.all(children.map(endChild));
    rmSync(folder, { recursive: true, force: true, maxRetries: 50 });
  };
  await start();
  return {
    ...{ url: `postgres://hopcount:${PASSWORD}@127.0.0.1:${port}/hopcount`, config, besides },
    ...{ access, runbook, destroy, start, stop },
  };
}

function accessTo({ port, authority, key, secret }: BackupBucket): Record<string, string> {
  return {
    ...{ PGBACKREST_REPO1_S3_KEY: key, PGBACKREST_REPO1_S3_KEY_SECRET: secret },
    ...{ PGBACKREST_REPO1_STORAGE_PORT: String(port), PGBACKREST_REPO1_STORAGE_CA_FILE: authority },
  };
}

function makeFolders(folder: string, spec: ChildSpec): void {
  for (const name of ['run', 'repo', 'log', 'lock']) {
    mkdirSync(join(folder, name), { mode: 0o700 });
    giveTo(join(folder, name), spec);
  }
}

/** Of the lines for postgresql.conf. */
function settingsOf(told: string): string[] {
  const lines = told.split('\n').filter((line) => line !== '');
  return lines.map((line) => line.replace(/^(\w+) = '?(.*?)'?$/, '$1=$2'));
}

function giveTo(path: string, { uid, gid }: ChildSpec): void {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

function runLine(
  command: string,
  places: [string, string][],
  environment: Record<string, string>,
  more: string[] = [],
): Promise<CliResult> {
  const lines = readFileSync(RUNBOOK, 'utf8').split('\n');
  const line = lines.find((one) => one.startsWith(`hopcount ${command} --`) && one.endsWith('--execute'));
  if (line === undefined) throw new Error(`the runbook has no line hopcount ${command} … --execute`);
  const here = places.reduce((text, [there, place]) => text.replace(there, place), line);
  return runCliWith(environment, ...here.split(' ').slice(1), ...more);
}
