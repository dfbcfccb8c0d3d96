import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { waitUntil } from '@hopcount/testing';

/** Arms the failpoints of the built processes (libs/runtime, HOPCOUNT_FAILPOINTS). */
export class FailpointFolder {
  constructor(readonly path: string) {
    mkdirSync(path, { recursive: true });
  }

  arm(name: string, action: 'kill' | 'throw', nthHit: number): void {
    writeFileSync(join(this.path, name), `${action}:${nthHit}`);
  }

  disarm(name: string): void {
    rmSync(join(this.path, name), { force: true });
  }

  /** How often it fired in this run. */
  fired(name: string): number {
    return this.firedBy(name).length;
  }

  /** Pids of the processes in which it fired. */
  firedBy(name: string): number[] {
    const prefix = `${name}.fired-`;
    const files = readdirSync(this.path).filter((file) => file.startsWith(prefix));
    return files.map((file) => Number(file.slice(prefix.length)));
  }

  async waitUntilFired(name: string, times: number, timeoutMs: number): Promise<void> {
    await waitUntil(() => this.fired(name) >= times, { timeoutMs, everyMs: 20, describe: `${name} fires` });
  }

  /** By so much every process that looks here is wrong about the time; 0 ends it. */
  setClockOffset(ms: number): void {
    const path = join(this.path, 'clock-offset');
    if (ms === 0) rmSync(path, { force: true });
    else writeFileSync(path, String(ms));
  }
}
