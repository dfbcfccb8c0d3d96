// @ts-check
// One supervised process.
//
// States:  stopped → starting → ready → (died) → waiting → starting → …
//          any → stopping → stopped;  a held child stays stopped until it is resumed.
// Changed only by #become, which tells the supervisor, so stack.json always says what is true.
import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { StackError, tail } from './output.mjs';
import { openLog, signalProcess, startTimeOf } from './processes.mjs';

const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 15_000;
/** A child that ran this long was healthy: its next death starts the back-off anew. */
const STABLE_MS = 30_000;
const READY_POLL_MS = 100;

/**
 * @typedef {'gateway' | 'consumer' | 'worker' | 'api' | 'kafka' | 'postgres' | 'redis'} Kind
 * @typedef {import('node:child_process').ChildProcess} ChildProcess
 *
 * @typedef {object} ChildSpec
 * @property {string} name unique, e.g. `consumer-2`
 * @property {Kind} kind
 * @property {string} command
 * @property {string[]} args
 * @property {NodeJS.ProcessEnv} env
 * @property {string} [cwd]
 * @property {number} [uid]
 * @property {number} [gid]
 * @property {string} log
 * @property {(log: number) => ChildProcess} [launch] instead of a plain spawn (workers of node:cluster)
 * @property {(pid: number) => boolean | Promise<boolean>} isReady fit to serve, asked at the first start
 * @property {(pid: number) => boolean | Promise<boolean>} [isBack] asked after a restart, default isReady
 * @property {number} readyTimeoutMs
 * @property {NodeJS.Signals} stopSignal
 * @property {number} stopGraceMs then SIGKILL
 *
 * @typedef {'stopped' | 'starting' | 'ready' | 'waiting' | 'stopping'} State
 */

export class ManagedChild {
  /** @type {State} */
  state = 'stopped';
  /** @type {number | undefined} */
  pid;
  /** @type {string | undefined} what tells this pid from a later bearer of the same number */
  startedAt;
  /** @type {ChildProcess | undefined} */
  #process;
  #backoffMs = FIRST_BACKOFF_MS;
  #readySinceMs = 0;
  /** Raised by every stop: a restart that was already waiting sees that it is no longer wanted. */
  #generation = 0;
  /** @type {Promise<void>} */
  #exited = Promise.resolve();

  /**
   * @param {ChildSpec} spec
   * @param {{onChange: () => void, say: import('./output.mjs').Say}} supervisor
   */
  constructor(spec, supervisor) {
    this.spec = spec;
    this.supervisor = supervisor;
  }

  /**
   * The first start, and the one after a hold.
   * @throws {StackError} with the end of its log when it ends or stays unready
   */
  async start() {
    this.#generation += 1;
    await this.#launch(this.spec.isReady);
  }

  /** Resolves once the process is gone; SIGKILL after the grace. */
  async stop() {
    this.#generation += 1;
    const { stopSignal, stopGraceMs, name } = this.spec;
    if (this.pid === undefined) return this.#become('stopped');
    this.#become('stopping');
    this.signal(stopSignal);
    const gone = this.#exited.then(() => true);
    if (!(await Promise.race([gone, sleep(stopGraceMs, false, { ref: false })]))) {
      this.supervisor.say(`${name} did not stop within ${stopGraceMs / 1000} s: killed`);
      this.signal('SIGKILL');
      await gone;
    }
    this.#become('stopped');
  }

  /** Ends and starts it in order, without a word about a death (a rebuild in watch mode). */
  async restart() {
    await this.stop();
    await this.start();
  }

  /** @param {NodeJS.Signals} signal */
  signal(signal) {
    if (this.pid !== undefined) signalProcess(this.pid, signal);
  }

  /** @param {(pid: number) => boolean | Promise<boolean>} isReady */
  async #launch(isReady) {
    this.#spawn();
    const { name, log, readyTimeoutMs } = this.spec;
    const deadlineMs = Date.now() + readyTimeoutMs;
    const pid = this.pid;
    while (pid === undefined || pid !== this.pid || !(await isReady(pid))) {
      if (this.pid === undefined || this.pid !== pid) {
        throw new StackError(`${name} ended before it was ready. The end of ${log}:\n${tail(log)}`);
      }
      if (Date.now() > deadlineMs) {
        throw new StackError(
          `${name} was not ready after ${readyTimeoutMs / 1000} s. The end of ${log}:\n${tail(log)}`,
        );
      }
      await sleep(READY_POLL_MS);
    }
    // It may have died, or been told to stop, while the last question was under way.
    if (this.pid === pid && this.state === 'starting') {
      this.#readySinceMs = Date.now();
      this.#become('ready');
    }
  }

  #spawn() {
    const { command, args, env, cwd, uid, gid, log, launch } = this.spec;
    const output = openLog(log);
    // A process group of its own: a Ctrl-C at the terminal must reach the supervisor alone, which
    // then stops its children in order.
    const identity = uid === undefined ? {} : { uid, gid };
    const child = launch
      ? launch(output)
      : spawn(command, args, { env, cwd: cwd ?? '/', ...identity, detached: true, stdio: ['ignore', output, output] });
    closeSync(output);
    this.#process = child;
    this.pid = child.pid;
    this.startedAt = child.pid === undefined ? undefined : startTimeOf(child.pid);
    this.#exited = new Promise((resolve) => {
      child.once('error', (error) => {
        if (child.pid !== undefined) return;
        this.supervisor.say(`${this.spec.name} cannot be started: ${error.message}`);
        this.#onExit(child, error.message);
        resolve();
      });
      child.once('exit', (code, signal) => {
        this.#onExit(child, signal ?? `exit code ${String(code)}`);
        resolve();
      });
    });
    this.#become('starting');
  }

  /**
   * @param {ChildProcess} child
   * @param {string} how
   */
  #onExit(child, how) {
    if (child !== this.#process) return;
    const { pid, state } = this;
    this.pid = undefined;
    this.startedAt = undefined;
    if (state !== 'ready') return;
    if (Date.now() - this.#readySinceMs > STABLE_MS) this.#backoffMs = FIRST_BACKOFF_MS;
    this.supervisor.say(`${this.spec.name} (pid ${String(pid)}) died: ${how}; log: ${this.spec.log}`);
    this.#become('waiting');
    void this.#comeBack();
  }

  /** Tries until it is up again or no longer wanted, twice as long apart each time. */
  async #comeBack() {
    const generation = this.#generation;
    const { name, isBack, isReady } = this.spec;
    for (;;) {
      await sleep(this.#backoffMs);
      this.#backoffMs = Math.min(this.#backoffMs * 2, MAX_BACKOFF_MS);
      if (generation !== this.#generation) return;
      try {
        await this.#launch(isBack ?? isReady);
        if (this.state === 'ready') this.supervisor.say(`${name} runs again, pid ${String(this.pid)}`);
        return;
      } catch (error) {
        if (generation !== this.#generation) return;
        this.supervisor.say(/** @type {Error} */ (error).message);
        if (this.pid !== undefined) this.signal('SIGKILL');
        await this.#exited;
        if (generation !== this.#generation) return;
        this.#become('waiting');
      }
    }
  }

  /** @param {State} state */
  #become(state) {
    this.state = state;
    this.supervisor.onChange();
  }
}
