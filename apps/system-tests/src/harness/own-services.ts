import { type ChildProcess, spawn } from 'node:child_process';
import { createConnection } from 'node:net';
import { join } from 'node:path';

import { waitUntil } from '@hopcount/testing';

/** What `deploy/local` says of a process, as far as it is used here. */
export interface ChildSpec {
  name: string;
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
  isReady: (pid: number) => boolean | Promise<boolean>;
}

export interface Deploy {
  prepareKafka: (options: object) => Promise<ChildSpec>;
  preparePostgres: (options: object) => Promise<{ spec: ChildSpec; folder: string; url: string }>;
  prepareRedis: (options: object) => ChildSpec;
  answers: (port: number) => Promise<boolean>;
}

/** A broker starts in two thirds of the time. */
export const JAVA_OPTIONS = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC';

const DEPLOY = join(process.cwd(), 'deploy/local');
const START_TIMEOUT_MS = 90_000;

/** One after the other: Jest links modules that are imported side by side and share others wrongly. */
export async function loadDeploy(): Promise<Deploy> {
  const modules: Partial<Deploy> = {};
  for (const name of ['ports', 'services/kafka', 'services/postgres', 'services/redis']) {
    Object.assign(modules, await import(join(DEPLOY, `${name}.mjs`)));
  }
  return modules as Deploy;
}

/** Starts it, adds it to `children` and waits until it answers. */
export async function launch(spec: ChildSpec, children: ChildProcess[]): Promise<void> {
  const { name, command, args, env, uid, gid, isReady } = spec;
  const identity = uid === undefined ? {} : { uid, gid };
  const child = spawn(command, args, { env, cwd: '/', stdio: 'ignore', ...identity });
  child.on('error', () => undefined);
  children.push(child);
  const isUp = () => (child.pid === undefined || child.exitCode !== null ? 'ended' : isReady(child.pid));
  await waitUntil(async () => isUp(), { timeoutMs: START_TIMEOUT_MS, everyMs: 100, describe: `${name} to be up` });
  if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}: ${args.join(' ')}`);
}

/** At once (SIGKILL). */
export function endChild(child: ChildProcess): Promise<void> {
  return signalled(child, 'SIGKILL');
}

/** In good order. */
export function terminateChild(child: ChildProcess): Promise<void> {
  return signalled(child, 'SIGTERM');
}

async function signalled(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await ended;
}

export function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
