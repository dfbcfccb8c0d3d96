import { describe, expect, it } from '@jest/globals';

import { AdmittedShare } from './admitted-share.js';

const TARGET_MS = 50;
const STEP_MS = 10;

/** A process that answers one request a millisecond, and a queue in front of it. */
class Simulated {
  readonly share = new AdmittedShare(TARGET_MS, 0);
  readonly delaysMs: number[] = [];
  admitted = 0;
  #nowMs = 0;
  #queued = 0;

  /** @param perMs requests that come, each millisecond */
  run(perMs: number, seconds: number): void {
    this.admitted = 0;
    this.delaysMs.length = 0;
    for (let step = 0; step < (seconds * 1_000) / STEP_MS; step += 1) {
      for (let asked = 0; asked < perMs * STEP_MS; asked += 1) if (this.share.admits()) this.#admit();
      this.#queued = Math.max(0, this.#queued - STEP_MS);
      this.#nowMs += STEP_MS;
      this.delaysMs.push(this.#queued);
      this.share.sample(this.#queued, this.#nowMs);
    }
  }

  pause(ms: number): void {
    this.#nowMs += ms;
    this.share.sample(ms, this.#nowMs);
  }

  #admit(): void {
    this.admitted += 1;
    this.#queued += 1;
  }
}

describe('AdmittedShare', () => {
  it.each([1.2, 3, 20])('of %d times what can be answered admits about that, after a short delay', (times) => {
    const process = new Simulated();
    process.run(times, 5);
    expect(process.share.value).toBeLessThan(1.2 / times);
    process.run(times, 30);
    // Most of what it can do.
    expect(process.admitted / 30_000).toBeGreaterThan(0.75);
    expect(Math.max(...process.delaysMs)).toBeLessThan(4 * TARGET_MS);
  });

  it('admits everything while the process keeps up, and again soon after it did not', () => {
    const process = new Simulated();
    process.run(0.9, 10);
    expect(process.admitted).toBe(9_000);
    process.run(10, 10);
    expect(process.share.value).toBeLessThan(0.2);
    process.run(0.5, 6);
    expect(process.share.value).toBe(1);
    process.run(0.5, 1);
    expect(process.admitted).toBe(500);
  });

  it('refuses nothing for pauses of the process, however long, between which it keeps up', () => {
    const process = new Simulated();
    for (let pause = 0; pause < 100; pause += 1) {
      process.pause(500);
      process.run(0.5, 0.03);
      expect(process.share.value).toBe(1);
    }
  });

  it('always admits some: it finds out when there is room again', () => {
    const process = new Simulated();
    for (let look = 0; look < 1_000; look += 1) process.pause(1_000);
    expect(Array.from({ length: 1_000 }, () => process.share.admits()).filter(Boolean)).toHaveLength(10);
  });
});
