import { describe, expect, it } from '@jest/globals';

import { BoundedCache } from './bounded-cache.js';

describe('BoundedCache', () => {
  it('holds at most two generations and keeps what is used', () => {
    const cache = new BoundedCache<number>(10);
    cache.set('used', 1);
    for (let i = 0; i < 1_000; i += 1) {
      cache.set(`k${i}`, i);
      expect(cache.get('used')).toBe(1);
      expect(cache.size).toBeLessThanOrEqual(20);
    }
    expect(cache.get('k0')).toBeUndefined();
    expect(cache.get('k999')).toBe(999);
  });
});
