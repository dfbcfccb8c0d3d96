import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { TokenBucket } from './token-bucket.js';

describe('TokenBucket', () => {
  it('never lets more through than a second and the time passed are worth', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 50 }),
        fc.array(fc.integer({ min: -50, max: 3_000 }), { maxLength: 300 }),
        (perSecond, steps) => {
          let nowMs = 0;
          let latestMs = 0;
          const bucket = new TokenBucket(perSecond, () => nowMs);
          let taken = 0;
          let passedMs = 0;
          for (const step of steps) {
            nowMs += step;
            passedMs += Math.max(0, nowMs - latestMs);
            latestMs = nowMs;
            if (bucket.take()) taken += 1;
          }
          expect(taken).toBeLessThanOrEqual(perSecond + (passedMs * perSecond) / 1_000 + 1e-6);
        },
      ),
    );
  });

  it('lets a second’s worth through at once, then what the time brings', () => {
    let nowMs = 0;
    const bucket = new TokenBucket(10, () => nowMs);
    const take = (times: number) => Array.from({ length: times }, () => bucket.take()).filter(Boolean).length;
    expect(take(25)).toBe(10);
    nowMs = 300;
    expect(take(25)).toBe(3);
    nowMs = 60_000;
    expect(take(25)).toBe(10);
  });
});
