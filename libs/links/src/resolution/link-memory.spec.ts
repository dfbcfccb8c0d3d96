import { describe, expect, it } from '@jest/globals';

import { LinkMemory } from './link-memory.js';
import { UNKNOWN } from './resolved-link.js';

const OPTIONS = { checkMs: 10_000, missTtlMs: 1_500, maxMisses: 3, maxCharacters: 2_000 };
const found = (longUrl = 'https://example.com', policy: string | null = null) => ({
  outcome: 'found' as const,
  link: { id: '1', domain: 'a.test', code: 'x', longUrl, groupId: null, policy, version: '1' },
});

function memory() {
  let now = 1_000;
  const clock = { pass: (ms: number) => (now += ms) };
  const cache = new LinkMemory(OPTIONS, () => now);
  const remember = (key: string, resolution = found() as Parameters<typeof cache.remember>[1]) =>
    cache.remember(key, resolution, now);
  return { cache, clock, remember, now: () => now };
}

describe('LinkMemory', () => {
  it('keeps a link fresh for a check period from the time PostgreSQL was asked, which reading does not extend', () => {
    const { cache, clock, now } = memory();
    cache.remember('k', found(), now() - 1_000);
    for (let i = 0; i < 8; i += 1) {
      clock.pass(1_000);
      expect(cache.fresh('k')).toEqual(found());
    }
    clock.pass(1_000);
    expect(cache.fresh('k')).toBeUndefined();
    expect(cache.stale('k')).toEqual(found());
  });

  it('forgets a miss soon, and at once when a link is remembered', () => {
    const { cache, clock, remember } = memory();
    remember('k', UNKNOWN);
    expect(cache.fresh('k')).toBe(UNKNOWN);
    clock.pass(1_500);
    expect(cache.fresh('k')).toBeUndefined();
    remember('k', UNKNOWN);
    remember('k');
    expect(cache.fresh('k')).toEqual(found());
  });

  it('keeps its object while the link stays the same', () => {
    const { cache, clock, remember } = memory();
    const first = remember('k');
    clock.pass(20_000);
    expect(remember('k')).toBe(first);
    expect(cache.fresh('k')).toBe(first);
    expect(remember('k', found('https://example.com/2'))).not.toBe(first);
    const limited = remember('k', found('https://example.com/2', '{"disabled":true}'));
    expect(limited).toEqual(found('https://example.com/2', '{"disabled":true}'));
    expect(remember('k', found('https://example.com/2', '{"disabled":true}'))).toBe(limited);
    expect(remember('k', found('https://example.com/2'))).not.toBe(limited);
  });

  it('drops a changed link for good', () => {
    const { cache, remember } = memory();
    remember('k');
    cache.forget('k');
    expect([cache.fresh('k'), cache.stale('k')]).toEqual([undefined, undefined]);
  });

  it('lets an old copy answer for a while in an outage', () => {
    const { cache, clock } = memory();
    cache.remember('k', found(), -Infinity);
    expect([cache.fresh('k'), cache.stale('k')]).toEqual([undefined, found()]);
    cache.postpone('k', 500);
    expect(cache.fresh('k')).toEqual(found());
    clock.pass(500);
    expect(cache.fresh('k')).toBeUndefined();
  });

  it('has a link in use checked half-way to its end; a check that finds the same begins a new period', () => {
    const { cache, clock, remember, now } = memory();
    remember('k');
    clock.pass(4_999);
    expect(cache.toCheck('due')).toEqual([]);
    clock.pass(1);
    const [due] = cache.toCheck('due');
    expect(cache.checked('k', due!, found(), now())).toBe('same');
    clock.pass(9_999);
    expect(cache.fresh('k')).toEqual(found());
  });

  const check = ({ cache, now }: ReturnType<typeof memory>) => {
    const due = cache.toCheck('due');
    for (const held of due) cache.checked(held.code, held, { outcome: 'found', link: held }, now());
    return due.map(({ code }) => code).sort();
  };
  const used = (one: ReturnType<typeof memory>, ...codes: string[]) => {
    for (const code of codes) one.remember(code, { ...found(), link: { ...found().link, code } });
  };

  it('checks a link for ten checks after its last use, so that one used now and then is in memory', () => {
    const one = memory();
    used(one, 'k');
    const checks = () => {
      let number = 0;
      for (; number < 100; number += 1) {
        one.clock.pass(5_000);
        if (check(one).length === 0) break;
      }
      return number;
    };
    expect(checks()).toBe(11); // the one that it was used for, and ten
    expect(one.cache.toCheck('all')).toHaveLength(1);
    one.cache.fresh('k');
    expect(checks()).toBe(11);
  });

  it('checks each link in time, whenever it was loaded or used', () => {
    const one = memory();
    used(one, 'a', 'b');
    one.clock.pass(3_000);
    used(one, 'c', 'a');
    one.clock.pass(2_000);
    expect(check(one)).toEqual(['b']);
    one.clock.pass(3_000);
    expect(check(one)).toEqual(['a', 'c']);
    one.clock.pass(2_000);
    expect(check(one)).toEqual(['b']);
  });

  it.each([
    ['another target', found('https://example.com/2')],
    ['another policy', found('https://example.com', '{"disabled":true}')],
    ['no link', UNKNOWN],
  ])('is corrected by a check that finds %s', (_, now) => {
    const { cache, clock, remember } = memory();
    remember('k');
    const [held] = cache.toCheck('all');
    clock.pass(1);
    expect(cache.checked('k', held!, now, 1_001)).toBe('corrected');
    expect(cache.fresh('k')).toEqual(now);
  });

  it('ignores a check that an announcement or a later look-up has overtaken', () => {
    const { cache, clock, remember } = memory();
    remember('k');
    const [held] = cache.toCheck('all');
    cache.forget('k');
    expect(cache.checked('k', held!, found(), 1_000)).toBe('ignored');
    expect(cache.fresh('k')).toBeUndefined();
    clock.pass(1);
    remember('k', found('https://example.com/2'));
    expect(cache.checked('k', held!, found(), 1_000)).toBe('ignored');
    expect(cache.fresh('k')).toEqual(found('https://example.com/2'));
  });

  it('loads a link anew once a day, so that its copy in Redis is renewed', () => {
    const { cache, clock, remember } = memory();
    remember('k');
    clock.pass(24 * 3_600_000);
    cache.fresh('k');
    expect(cache.toCheck('due')).toEqual([]);
  });

  it('is bounded, links by size and misses by number', () => {
    const { cache, clock, remember } = memory();
    for (let i = 0; i < 100; i += 1) {
      remember(`k${i}`, found(`https://example.com/${'x'.repeat(200)}`));
      remember(`m${i}`, UNKNOWN);
    }
    expect(cache.size).toBeLessThanOrEqual(4);
    remember('ruled', found('https://example.com', 'x'.repeat(1_500)));
    expect([cache.size, cache.fresh('ruled') === undefined]).toEqual([1, false]);
    const misses = Array.from({ length: 100 }, (_, i) => cache.fresh(`m${i}`)).filter((miss) => miss === UNKNOWN);
    expect(misses).toHaveLength(3);
    clock.pass(50_000);
    expect(cache.toCheck('due').length).toBeLessThanOrEqual(4); // what was pushed out does not wait for a check
  });
});
