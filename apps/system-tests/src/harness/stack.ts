import { spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { stackFileSchema, type StackFile } from '@hopcount/contracts';
import { freePorts } from '@hopcount/testing';

/** Jest and npm both run at the root of the repository. */
const REPOSITORY = process.cwd();
/** Of the test run itself, not of the stack: the addresses of its shared services and Jest's own switches. */
const NOT_PASSED_ON = ['KAFKA_BROKERS', 'DATABASE_URL', 'REDIS_URL', 'HOPCOUNT_SECRET', 'NODE_OPTIONS', 'NODE_ENV'];

export type ProcessKind = keyof StackFile['processes'];

export interface RunningStack {
  /** What stack.json said when the stack became ready; pids change when a process is restarted. */
  readonly file: StackFile;
  readonly dataDir: string;
  /** What `npm start` said on the terminal. */
  readonly printed: string;
  /** stack.json as it is now. */
  read(): Promise<StackFile>;
  /** kill -9 (or another signal) of every process of that kind; the supervisor starts it again. */
  kill(kind: ProcessKind, signal?: NodeJS.Signals): Promise<void>;
  /** Stops one kind of process in order and keeps it stopped until {@link resume}. */
  hold(kind: ProcessKind): Promise<void>;
  /** Starts a held kind again; resolves once it is ready. */
  resume(kind: ProcessKind): Promise<void>;
  /** Stops every process; the data folder stays, so that {@link startStack} can go on with it. */
  halt(): Promise<void>;
  /** Stops every process and removes the data folder if it was made here. */
  stop(): Promise<void>;
}

export interface StackOptions {
  /** Added to the environment, e.g. `{ TRUSTED_PROXIES: '127.0.0.1/32', CONSUMERS: '2' }`. */
  env?: Record<string, string>;
  /** A folder kept by the caller, to start a second time on the same data; default: a fresh one. */
  dataDir?: string;
}

/** A whole stack of its own (`npm start -- --detach`): own ports, own Kafka, PostgreSQL and Redis. */
export async function startStack(options: StackOptions = {}): Promise<RunningStack> {
  const dataDir = options.dataDir ?? (await freshDataDir());
  const [gateway, api, kafka, postgres, redis] = await freePorts(5);
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    GATEWAY_PORT: String(gateway),
    API_PORT: String(api),
    KAFKA_PORT: String(kafka),
    POSTGRES_PORT: String(postgres),
    REDIS_PORT: String(redis),
    HOPCOUNT_DATA_DIR: dataDir,
    // Specs and browsers keep the processor busy: an api that let them go first would answer late.
    API_NICE: '0',
    ...options.env,
  };
  for (const name of NOT_PASSED_ON) if (options.env?.[name] === undefined) delete env[name];

  const command = (script: string, ...args: string[]) => runScript(script, args, env);
  const read = async () => stackFileSchema.parse(JSON.parse(await readFile(join(dataDir, 'stack.json'), 'utf8')));
  const halt = () => command('stop.mjs');
  let printed: string;
  try {
    printed = await command('start.mjs', '--detach');
  } catch (error) {
    // A start that fails stops what it had started.
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    throw error;
  }
  return {
    file: await read(),
    dataDir,
    printed,
    read,
    kill: async (kind, signal = 'SIGKILL') => {
      for (const pid of (await read()).processes[kind]) process.kill(pid, signal);
    },
    hold: async (kind) => void (await command('stop.mjs', kind)),
    resume: async (kind) => void (await command('start.mjs', kind)),
    halt: async () => void (await halt()),
    stop: async () => {
      await halt().catch(() => undefined);
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL drops root's rights and must reach its files: the folder itself may be passed through. */
async function freshDataDir(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hopcount-e2e-'));
  await chmod(folder, 0o711);
  return folder;
}

/** Runs one of deploy/local's scripts to its end. @returns all it printed; rejects with that when it fails */
async function runScript(script: string, args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(process.execPath, [join(REPOSITORY, 'deploy/local', script), ...args], {
    cwd: REPOSITORY,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  if (code !== 0) throw new Error(`${script} ${args.join(' ')} ended with ${String(code)}:\n${output}`);
  return output;
}
