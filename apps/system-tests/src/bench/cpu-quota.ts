import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';

const CPU_GROUPS = '/sys/fs/cgroup/cpu';
/** The kernel's usual 100 ms would stop a process for most of that in the middle of a transaction. */
const PERIOD_US = 20_000;

/** A share of one core that a process may use: a control group (v1) of its own. */
export class CpuQuota {
  readonly #folder: string;

  /** @throws when this user may not make control groups, or the machine has none of version 1 */
  constructor(name: string, percentOfCore: number) {
    this.#folder = `${CPU_GROUPS}/hopcount-bench-${process.pid}-${name}`;
    mkdirSync(this.#folder);
    writeFileSync(`${this.#folder}/cpu.cfs_period_us`, String(PERIOD_US));
    writeFileSync(`${this.#folder}/cpu.cfs_quota_us`, String((PERIOD_US * percentOfCore) / 100));
  }

  /** With all of its threads. */
  limit(pid: number): void {
    writeFileSync(`${this.#folder}/cgroup.procs`, String(pid));
  }

  /** Once its process has ended. */
  remove(): void {
    rmdirSync(this.#folder);
  }
}
