import { describe, expect, it } from '@jest/globals';

import { ReadDelay } from './read-delay.js';

const TARGET_MS = 20;
const ANSWER_MS = 1;

/** A process that reads one thing after the other in the order in which they came, and takes a millisecond to answer a request. */
class Simulated {
  nowMs = 0;
  /** Since the last `run`. */
  waitsMs: number[] = [];
  refused = 0;
  readonly #delay = new ReadDelay(
    TARGET_MS,
    (read) => this.#queue.push({ cameMs: this.nowMs, read }),
    () => this.nowMs,
  );
  #queue: { cameMs: number; read?: () => void }[] = [];
  #nextMs = 0;

  constructor(readonly refusalMs = 0.2) {}

  /** @param perMs requests that come, each millisecond */
  run(perMs: number, forMs: number): void {
    [this.waitsMs, this.refused] = [[], 0];
    const endMs = this.nowMs + forMs;
    this.#nextMs = Math.max(this.#nextMs, this.nowMs);
    while (this.nowMs < endMs) {
      for (; this.#nextMs <= this.nowMs; this.#nextMs += 1 / perMs) this.#queue.push({ cameMs: this.#nextMs });
      const next = this.#queue.shift();
      if (next === undefined) this.nowMs = this.#nextMs;
      else if (next.read !== undefined) next.read();
      else this.#request(next.cameMs);
    }
  }

  #request(cameMs: number): void {
    const isInTime = this.#delay.isInTime(0);
    if (isInTime) this.waitsMs.push(this.nowMs - cameMs);
    else this.refused += 1;
    this.nowMs += isInTime ? ANSWER_MS : this.refusalMs;
  }
}

describe('ReadDelay', () => {
  it.each([
    { times: 1.2, refusalMs: 0.2 },
    { times: 3, refusalMs: 0.2 },
    { times: 20, refusalMs: 0.02 },
  ])('of $times times what can be answered admits what is left of the time, soon after it came', (load) => {
    const process = new Simulated(load.refusalMs);
    process.run(load.times, 1_000);
    process.run(load.times, 30_000);
    const possible = (1 - load.times * load.refusalMs) / (1 - load.refusalMs);
    expect(process.waitsMs.length / 30_000).toBeGreaterThan(0.8 * possible);
    expect(Math.max(...process.waitsMs)).toBeLessThan(3 * TARGET_MS);
  });

  it('admits everything while the process keeps up, and again a second after it did not', () => {
    const process = new Simulated();
    process.run(0.9, 10_000);
    expect(process.refused).toBe(0);
    process.run(3, 10_000);
    expect(process.refused).toBeGreaterThan(10_000);
    process.run(0.5, 1_000);
    process.run(0.5, 10_000);
    expect(process.refused).toBe(0);
  });

  it('refuses nothing for pauses of the process between which it keeps up', () => {
    const process = new Simulated();
    for (let pause = 0; pause < 100; pause += 1) {
      process.nowMs += 60;
      process.run(0.3, 200);
      expect(process.refused).toBe(0);
    }
  });

  it('knows after a silence that nothing waits any more', () => {
    const process = new Simulated();
    process.run(4, 2_000);
    process.run(0.001, 5_000);
    process.run(0.001, 5_000);
    expect(process.refused).toBe(0);
  });
});
