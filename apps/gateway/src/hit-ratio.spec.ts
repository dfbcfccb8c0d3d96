import { describe, expect, it } from '@jest/globals';

import { HitRatio } from './hit-ratio.js';

describe('the hit ratio', () => {
  it('is that of the last minute, of look-ups that found a link', () => {
    let now = 0;
    const answers = { memory: 0, redis: 0, database: 0, stale: 0, unknown: 0, failed: 0 };
    const ratio = new HitRatio(answers, () => now);
    expect(ratio.read()).toBeNaN();
    Object.assign(answers, { memory: 6, redis: 1, database: 3, unknown: 1_000 });
    now = 15_000;
    expect(ratio.read()).toBe(0.6);
    answers.memory += 30;
    now = 30_000;
    expect(ratio.read()).toBe(0.9);
    now = 75_000; // from 15 s on
    expect(ratio.read()).toBe(1);
    answers.database += 30;
    now = 90_000;
    expect(ratio.read()).toBe(0);
    now = 1_000_000;
    expect(ratio.read()).toBeNaN();
  });

  it('keeps a minute of samples, however often it is read', () => {
    let now = 0;
    const answers = { memory: 0, database: 0 };
    const ratio = new HitRatio(answers, () => now);
    for (let read = 0; read < 10_000; read += 1) {
      now += 100;
      answers.memory += read < 9_000 ? 0 : 1;
      answers.database += 1;
      ratio.read();
    }
    expect(ratio.read()).toBe(0.5);
  });
});
