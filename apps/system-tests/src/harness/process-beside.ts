import { freePorts } from '@hopcount/testing';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { call } from './http.js';

const READY_WITHIN_MS = 180_000;
/** Of the processes that a stack starts. */
const NODE_FLAGS_MODULE = `${process.cwd()}/deploy/local/node-flags.mjs`;

/** One more process of an app the stack runs, with settings of its own. */
export interface ProcessBeside {
  readonly pid: number;
  readonly opsUrl: string;
  ready(): Promise<void>;
  /** In order, also when it is gone already. */
  stop(): Promise<void>;
}

/** @param environment that of a process of the stack, and what differs @param onLog told what it logs */
export async function startBeside(
  app: 'api' | 'consumer' | 'gateway' | 'worker',
  environment: NodeJS.ProcessEnv,
  onLog?: (text: string) => void,
): Promise<ProcessBeside> {
  const [port] = await freePorts(1);
  const opsUrl = `http://127.0.0.1:${port}`;
  const { NODE_FLAGS } = (await import(NODE_FLAGS_MODULE)) as { NODE_FLAGS: string[] };
  const args = [...NODE_FLAGS, `${process.cwd()}/apps/${app}/dist/bundle.js`];
  const child = spawn(process.execPath, args, {
    env: { ...environment, OPS_PORT: String(port), PROCESS_NAME: `${app}-beside-${port}` },
    // A session of its own, as the stack's processes have: the kernel shares the processor out among sessions.
    detached: true,
    stdio: ['ignore', onLog === undefined ? 'ignore' : 'pipe', 'ignore'],
  });
  child.stdout?.on('data', (chunk: Buffer) => onLog?.(chunk.toString()));
  const killWithUs = () => {
    child.kill('SIGKILL');
  };
  process.once('exit', killWithUs);
  child.once('exit', () => {
    process.off('exit', killWithUs);
  });
  return {
    pid: child.pid ?? 0,
    opsUrl,
    ready: async () => {
      const isReady = async () => hasEnded(child) || (await call(`${opsUrl}/readyz`)).status === 200;
      await until(isReady);
      if (hasEnded(child))
        throw new Error(`the ${app} ended with ${child.exitCode ?? child.signalCode} instead of being ready`);
    },
    stop: () => stop(child),
  };
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** An error is a no. @throws Error after three minutes */
export async function until(condition: () => Promise<boolean>, withinMs = READY_WITHIN_MS): Promise<void> {
  const deadlineMs = performance.now() + withinMs;
  while (!(await condition().catch(() => false))) {
    if (performance.now() > deadlineMs) throw new Error(`waited ${Math.round(withinMs / 1_000)} s for nothing`);
    await sleep(20);
  }
}
