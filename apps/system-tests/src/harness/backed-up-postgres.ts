import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type ChildSpec, endChild, launch, loadDeploy } from './own-services.js';
import { freePorts } from './stack.js';

/** PostgreSQL whose WAL is archived by pgBackRest, as docs/operations/backup.md sets it up. */
export interface BackedUpPostgres {
  /** As DATABASE_URL wants it. */
  readonly url: string;
  /** Runs the runbook's line that ends with this command of pgBackRest. */
  runbook(command: string): Promise<void>;
  /** SIGKILL, and its data folder is gone. */
  destroy(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const PASSWORD = 'backedup';
const RUNBOOK = join(process.cwd(), 'docs/operations/backup.md');

export async function startBackedUpPostgres(): Promise<BackedUpPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'hopcount-backup-'));
  chmodSync(folder, 0o711); // PostgreSQL is no root and must reach its files
  const [port] = (await freePorts(1)) as [number];
  const children: ChildProcess[] = [];
  const { preparePostgres } = await loadDeploy();
  const log = join(folder, 'postgres.log');
  const server = { port, dataDir: folder, password: PASSWORD, log, env: process.env };
  const { spec, folder: home } = await preparePostgres({ ...server, isThrowaway: true });
  const cluster = join(home, 'cluster');
  const config = writeConfig({ folder, cluster, port, spec });
  const archive = `pgbackrest --config=${config} --stanza=hopcount archive-push %p`;
  const settings = ['archive_mode=on', `archive_command=${archive}`, `unix_socket_directories=${folder}/run`];
  const args = [...spec.args, ...settings.flatMap((setting) => ['-c', setting])];
  // The command that fetches WAL after a restore names no file: it would read /etc/pgbackrest.conf.
  const env = { ...spec.env, PGBACKREST_CONFIG: config };
  const start = () => launch({ ...spec, args, env }, children);
  const destroy = async () => {
    await Promise.all(children.map(endChild));
    // Its sessions may write a moment longer than it lives.
    rmSync(cluster, { recursive: true, force: true, maxRetries: 50 });
    mkdirSync(cluster, { mode: 0o700 });
    own(cluster, spec);
  };
  const stop = async () => {
    await Promise.all(children.map(endChild));
    rmSync(folder, { recursive: true, force: true, maxRetries: 50 });
  };
  const runbook = (command: string) =>
    runAs(spec, lineOf(command), { PGBACKREST_CONFIG: config, PGPASSWORD: PASSWORD });
  await start();
  return { url: `postgres://hopcount:${PASSWORD}@127.0.0.1:${port}/hopcount`, runbook, destroy, start, stop };
}

function writeConfig(of: { folder: string; cluster: string; port: number; spec: ChildSpec }): string {
  const { folder, cluster, port, spec } = of;
  for (const name of ['run', 'repo', 'log', 'lock']) {
    mkdirSync(join(folder, name), { mode: 0o700 });
    own(join(folder, name), spec);
  }
  const path = join(folder, 'pgbackrest.conf');
  writeFileSync(
    path,
    `[global]
repo1-path=${folder}/repo
repo1-retention-full=2
log-path=${folder}/log
lock-path=${folder}/lock
start-fast=y
[hopcount]
pg1-path=${cluster}
pg1-port=${port}
pg1-socket-path=${folder}/run
pg1-user=hopcount
`,
  );
  return path;
}

function own(path: string, { uid, gid }: ChildSpec): void {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

function lineOf(command: string): string[] {
  const lines = readFileSync(RUNBOOK, 'utf8').split('\n');
  const line = lines.find((one) => one.startsWith('pgbackrest ') && one.endsWith(` ${command}`));
  if (line === undefined) throw new Error(`the runbook has no line that ends with ${command}`);
  return line.split(' ');
}

async function runAs({ uid, gid }: ChildSpec, [program, ...args]: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const identity = uid === undefined ? {} : { uid, gid };
  const child = spawn(program!, args, { cwd: '/', env: { ...process.env, ...env }, ...identity });
  let said = '';
  child.stdout.on('data', (text) => (said += String(text)));
  child.stderr.on('data', (text) => (said += String(text)));
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}: ${said}`);
}
