import { beforeEach, describe, expect, it } from '@jest/globals';

import { CountingRate } from './counting-rate.js';

describe('how long questions rest while visits are counted', () => {
  let rate: CountingRate;
  let nowMs: number;

  beforeEach(() => {
    nowMs = 0;
    rate = new CountingRate(() => nowMs);
  });

  function see(counted: number, laterMs: number): void {
    nowMs += laterMs;
    rate.see(counted);
  }

  it('is as long as many visits come, at most three times their own time and five seconds', () => {
    expect(rate.restMs(100)).toBe(0);
    see(1_000, 0);
    expect(rate.restMs(100)).toBe(0);
    see(1_200, 1_000);
    expect(rate.restMs(100)).toBe(100);
    see(5_200, 2_000);
    expect(rate.restMs(100)).toBe(300);
    expect(rate.restMs(60_000)).toBe(5_000);
  });

  it('is nothing once no visit comes, or a consumer was sent back', () => {
    see(1_000, 0);
    see(3_000, 1_000);
    see(3_000, 1_000);
    expect(rate.restMs(100)).toBe(0);
    see(5_000, 1_000);
    see(0, 1_000);
    expect(rate.restMs(100)).toBe(0);
  });

  it('is not of a moment, in which one commit looks like many', () => {
    see(1_000, 0);
    see(2_000, 1);
    expect(rate.restMs(100)).toBe(0);
    see(2_000, 9_999);
    expect(rate.restMs(100)).toBe(50);
  });
});
