// @ts-check
// Looking at, running and ending operating-system processes.
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { StackError, tail } from './output.mjs';

const MAX_LOG_BYTES = 64 * 1024 * 1024;

/**
 * When a process started, in a form that only equals itself: a pid alone may have been given to
 * another process since. Undefined: no such process (a zombie counts as gone).
 * @param {number} pid
 * @returns {string | undefined}
 */
export function startTimeOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name (field 2) may hold spaces and parentheses: count from the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : `${fields[19] ?? ''}@${bootId()}`;
  } catch {
    // No such process, or no /proc: asked of ps below.
    if (process.platform === 'linux') return undefined;
    const listed = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
    return listed.status === 0 ? listed.stdout.trim() || undefined : undefined;
  }
}

function bootId() {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Not Linux.
    return '';
  }
}

/**
 * @param {{pid: number, startedAt: string}} known
 */
export function isRunning(known) {
  return startTimeOf(known.pid) === known.startedAt;
}

/**
 * Sends a signal; a process that has just ended is no error.
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 */
export function signalProcess(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error;
  }
}

/**
 * @param {() => boolean | Promise<boolean>} condition
 * @param {number} timeoutMs
 * @param {number} [everyMs]
 * @returns {Promise<boolean>} whether it came true in time
 */
export async function waitUntil(condition, timeoutMs, everyMs = 100) {
  const deadlineMs = Date.now() + timeoutMs;
  for (;;) {
    if (await condition()) return true;
    if (Date.now() >= deadlineMs) return false;
    await sleep(everyMs);
  }
}

/**
 * Opens a log for appending; one that has grown beyond 64 MB is put aside as `.1` first.
 * @param {string} path
 * @returns {number} file descriptor, to be closed by the caller
 */
export function openLog(path) {
  try {
    if (statSync(path).size > MAX_LOG_BYTES) renameSync(path, `${path}.1`);
  } catch {
    // No log yet.
  }
  return openSync(path, 'a', 0o640);
}

/** Steps that run right now, so that an interrupted start leaves none of them behind. */
/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
let interrupted = false;

/** Ends the steps under way and refuses any further one. */
export function killRunningSteps() {
  interrupted = true;
  for (const child of running) {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // Ended by itself.
    }
  }
}

/**
 * Runs a command to its end with its output in a log file.
 * @param {string} command
 * @param {string[]} args
 * @param {{log: string, cwd?: string, env?: NodeJS.ProcessEnv, uid?: number, gid?: number, input?: string,
 *   captureStdout?: boolean, failure?: string}} options
 * @returns {Promise<string>} standard output when captured
 * @throws {StackError} with the end of the output
 */
export async function run(command, args, options) {
  if (interrupted) throw new StackError('interrupted');
  const log = openLog(options.log);
  const child = spawn(command, args, {
    cwd: options.cwd ?? '/',
    env: options.env ?? process.env,
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.gid }),
    detached: true,
    stdio: [options.input === undefined ? 'ignore' : 'pipe', options.captureStdout ? 'pipe' : log, log],
  });
  closeSync(log);
  running.add(child);
  let output = '';
  child.stdout?.on('data', (chunk) => (output += String(chunk)));
  child.stdin?.end(options.input);
  try {
    const ended = await new Promise((/** @type {(ended: number | string | null) => void} */ resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve(code ?? signal));
    });
    if (ended !== 0) {
      const what = options.failure ?? `${command} ${args.join(' ')} failed (${String(ended)})`;
      throw new StackError(`${what}. The end of ${options.log}:\n${tail(options.log)}`);
    }
    return output;
  } finally {
    running.delete(child);
  }
}
