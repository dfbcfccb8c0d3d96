import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';

import type { ChaosReport } from '../report.js';
import { copyTree, editFile } from './copy-tree.js';
import type { Mutation } from './list.js';

const CHAOS = 'apps/system-tests/dist/chaos/main.js';
/** A wrong number or a wrong set of ids; that a fault did not happen says nothing about the mutation. */
const NOTICED =
  /lost \(|doubled|invented|counted twice|differ|verify:|nobody damaged|revoked key|blocked host|old target|sent on by/;

/**
 * Runs the mutation's fault in a copy of the repository, which is removed on every way out.
 * @returns what was noticed, in one line; undefined when nothing was
 * @throws Error when the run could not be made, or was interrupted
 */
export async function tryMutation(
  { name, edits, fault }: Mutation,
  { from, signal }: { from: string; signal: AbortSignal },
): Promise<string | undefined> {
  const copy = mkdtempSync(join(tmpdir(), 'hopcount-mutation-'));
  try {
    copyTree(from, copy);
    for (const { file, find, replace } of edits) editFile(join(copy, file), find, replace);
    const report = join(copy, 'report');
    const status = await runChaos(copy, ['--faults', fault, '--recovery-seconds', '20', '--report', report], signal);
    if (status !== 0 && status !== 1) throw new Error(`${name}: the run could not be made`);
    const file = readdirSync(report).find((one) => one.endsWith('.json')) ?? '';
    const { violations } = JSON.parse(readFileSync(join(report, file), 'utf8')) as ChaosReport;
    return violations
      .find((violation) => NOTICED.test(violation))
      ?.split('\n')
      .slice(0, 3)
      .join(' ');
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Interrupted, it stops its stack before it ends. @returns its exit code */
async function runChaos(cwd: string, args: readonly string[], signal: AbortSignal): Promise<unknown> {
  // What was sent during the copying arrives now.
  await turn();
  signal.throwIfAborted();
  const child = spawn(process.execPath, [CHAOS, ...args], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  const end = () => child.kill('SIGTERM');
  signal.addEventListener('abort', end);
  try {
    const [status] = (await once(child, 'exit')) as unknown[];
    return status;
  } finally {
    signal.removeEventListener('abort', end);
  }
}
