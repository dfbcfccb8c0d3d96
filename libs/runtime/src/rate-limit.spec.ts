import { describe, expect, it } from '@jest/globals';

import { createRateLimit } from './rate-limit.js';

describe('createRateLimit', () => {
  const clock = () => {
    let now = 0;
    const waits: number[] = [];
    const sleep = (ms: number) => {
      waits.push(ms);
      now += ms;
      return Promise.resolve();
    };
    return { nowMs: () => now, sleep, waits, pass: (ms: number) => (now += ms) };
  };

  it('spreads what is asked for over time', async () => {
    const time = clock();
    const take = createRateLimit(100, time);
    for (let call = 0; call < 3; call += 1) await take(50);
    expect(time.waits).toEqual([500, 500]);
  });

  it('saves up no credit while idle', async () => {
    const time = clock();
    const take = createRateLimit(100, time);
    await take(100);
    time.pass(60_000);
    await take(100);
    await take(100);
    expect(time.waits).toEqual([1_000]);
  });

  it('never waits without a limit', async () => {
    const time = clock();
    const take = createRateLimit(undefined, time);
    await take(1_000_000);
    await take(1);
    expect(time.waits).toEqual([]);
  });
});
