import { describe, expect, it } from '@jest/globals';

import { LinkMemory } from './link-memory.js';
import { UNKNOWN } from './resolved-link.js';

const OPTIONS = { ttlMs: 10_000, missTtlMs: 1_500, maxMisses: 3, maxCharacters: 2_000 };
const found = (longUrl = 'https://example.com') => ({
  outcome: 'found' as const,
  link: { id: '1', domain: 'a.test', code: 'x', longUrl, groupId: null, version: '1' },
});

function memory() {
  let now = 1_000;
  const clock = { pass: (ms: number) => (now += ms) };
  return { cache: new LinkMemory(OPTIONS, () => now), clock };
}

describe('LinkMemory', () => {
  it('keeps a link fresh for its TTL, which reading does not extend', () => {
    const { cache, clock } = memory();
    cache.remember('k', found());
    for (let i = 0; i < 9; i += 1) {
      clock.pass(1_000);
      expect(cache.fresh('k')).toEqual(found());
    }
    clock.pass(1_000);
    expect(cache.fresh('k')).toBeUndefined();
    expect(cache.stale('k')).toEqual(found());
  });

  it('forgets a miss soon, and at once when a link is remembered', () => {
    const { cache, clock } = memory();
    cache.remember('k', UNKNOWN);
    expect(cache.fresh('k')).toBe(UNKNOWN);
    clock.pass(1_500);
    expect(cache.fresh('k')).toBeUndefined();
    cache.remember('k', UNKNOWN);
    cache.remember('k', found());
    expect(cache.fresh('k')).toEqual(found());
  });

  it('keeps its object while the link stays the same', () => {
    const { cache, clock } = memory();
    const first = cache.remember('k', found());
    clock.pass(20_000);
    expect(cache.remember('k', found())).toBe(first);
    expect(cache.fresh('k')).toBe(first);
    expect(cache.remember('k', found('https://example.com/2'))).not.toBe(first);
  });

  it('drops a changed link for good', () => {
    const { cache } = memory();
    cache.remember('k', found());
    cache.forget('k');
    expect([cache.fresh('k'), cache.stale('k')]).toEqual([undefined, undefined]);
  });

  it('expires everything but keeps it for an outage', () => {
    const { cache, clock } = memory();
    cache.remember('k', found());
    cache.expireAll();
    expect([cache.fresh('k'), cache.stale('k')]).toEqual([undefined, found()]);
    clock.pass(5);
    cache.postpone('k', 500);
    expect(cache.fresh('k')).toEqual(found());
    clock.pass(500);
    expect(cache.fresh('k')).toBeUndefined();
  });

  it('is bounded, links by size and misses by number', () => {
    const { cache } = memory();
    for (let i = 0; i < 100; i += 1) {
      cache.remember(`k${i}`, found(`https://example.com/${'x'.repeat(200)}`));
      cache.remember(`m${i}`, UNKNOWN);
    }
    expect(cache.size).toBeLessThanOrEqual(4);
    const misses = Array.from({ length: 100 }, (_, i) => cache.fresh(`m${i}`)).filter((miss) => miss === UNKNOWN);
    expect(misses).toHaveLength(3);
  });
});
