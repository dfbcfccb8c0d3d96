// @ts-check
// The children of one stack: started together, watched, written to stack.json, stopped in order.
import { rmSync } from 'node:fs';

import { ManagedChild } from './child.mjs';
import { killRunningSteps, startTimeOf } from './processes.mjs';
import { filesOf, heldKinds, writeJson, writeTargets } from './stack-file.mjs';

/**
 * No new visits first, then what counts them, then what they all stand on.
 * @type {import('./child.mjs').Kind[][]}
 */
const STOP_ORDER = [['gateway'], ['consumer'], ['worker'], ['api'], ['kafka', 'redis', 'postgres']];

/** @typedef {Omit<import('./stack-file.mjs').StackDescription, 'processes'>} StackAddresses */

export class Supervisor {
  /** @type {ManagedChild[]} */
  children = [];
  stopping = false;
  /** @type {StackAddresses | undefined} set once all is ready */
  #addresses;

  /**
   * @param {string} dataDir
   * @param {import('./output.mjs').Say} say
   */
  constructor(dataDir, say) {
    this.dataDir = dataDir;
    this.say = say;
    this.files = filesOf(dataDir);
    this.onChange();
  }

  /**
   * @param {import('./child.mjs').ChildSpec} spec
   * @returns {Promise<void>} once it is ready
   */
  async start(spec) {
    if (this.stopping) return;
    const child = new ManagedChild(spec, this);
    this.children.push(child);
    await child.start();
  }

  /** From now on stack.json is kept up to date. @param {StackAddresses} addresses */
  announce(addresses) {
    this.#addresses = addresses;
    writeTargets(this.files.targets, addresses.opsUrls);
    this.onChange();
  }

  /** Called by each child whenever its state changes. */
  onChange() {
    writeJson(this.files.supervisor, {
      pid: process.pid,
      startedAt: startTimeOf(process.pid),
      children: STOP_ORDER.flat().flatMap((kind) => this.#known(kind)),
    });
    if (this.#addresses && !this.stopping) {
      writeJson(this.files.stack, { ...this.#addresses, processes: this.#readyPids() });
    }
  }

  /** Brings what runs in line with what `npm stop -- <kind>` and `npm start -- <kind>` asked for. */
  async applyHolds() {
    const held = heldKinds(this.dataDir);
    const work = this.children.map(async (child) => {
      const isHeld = held.has(child.spec.kind);
      if (isHeld && child.state !== 'stopped' && child.state !== 'stopping') {
        await child.stop();
        this.say(`${child.spec.name} is held`);
      } else if (!isHeld && child.state === 'stopped') {
        await child.start();
        this.say(`${child.spec.name} runs again, pid ${String(child.pid)}`);
      }
    });
    for (const result of await Promise.allSettled(work)) {
      if (result.status === 'rejected')
        this.say(result.reason instanceof Error ? result.reason.message : String(result.reason));
    }
  }

  /** @param {import('./child.mjs').Kind[]} kinds */
  async restart(kinds) {
    const chosen = this.children.filter((child) => kinds.includes(child.spec.kind) && child.state !== 'stopped');
    await Promise.all(chosen.map((child) => child.restart()));
  }

  async stopAll() {
    this.stopping = true;
    killRunningSteps();
    rmSync(this.files.stack, { force: true });
    rmSync(this.files.targets, { force: true });
    for (const kinds of STOP_ORDER) {
      await Promise.all(this.children.filter(({ spec }) => kinds.includes(spec.kind)).map((child) => child.stop()));
    }
    rmSync(this.files.held, { recursive: true, force: true });
    rmSync(this.files.supervisor, { force: true });
  }

  /** The impatient way, for a second Ctrl-C. */
  killAll() {
    for (const child of this.children) child.signal('SIGKILL');
  }

  /** @param {string} kind */
  #known(kind) {
    return this.children
      .filter(({ spec, pid }) => spec.kind === kind && pid !== undefined)
      .map(({ spec, pid, startedAt }) => ({
        name: spec.name,
        kind,
        pid,
        startedAt,
        stopSignal: spec.stopSignal,
      }));
  }

  #readyPids() {
    /** @type {Record<import('./child.mjs').Kind, number[]>} */
    const processes = { gateway: [], consumer: [], worker: [], api: [], kafka: [], postgres: [], redis: [] };
    for (const { spec, pid, state } of this.children) {
      if (state === 'ready' && pid !== undefined) processes[spec.kind].push(pid);
    }
    return processes;
  }
}
