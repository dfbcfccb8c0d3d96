import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { memoised } from './memoised.js';

describe('a function with its last results at hand', () => {
  function counting(maxEntries: number) {
    const computed: string[] = [];
    const lengthOf = memoised((key) => {
      computed.push(key);
      return `${key} has ${key.length}`;
    }, maxEntries);
    return { lengthOf, computed };
  }

  it('answers as the function itself, whatever was asked before', () => {
    const key = fc.string({ maxLength: 1 });
    fc.assert(
      fc.property(fc.array(key, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), (keys, maxEntries) => {
        const { lengthOf } = counting(maxEntries);
        for (const one of keys) expect(lengthOf(one)).toBe(`${one} has ${one.length}`);
      }),
    );
  });

  it('computes a result once while there is room', () => {
    const { lengthOf, computed } = counting(3);
    for (const key of ['a', 'b', 'a', 'c', 'b', 'a', 'c']) lengthOf(key);
    expect(computed).toEqual(['a', 'b', 'c']);
  });

  it('keeps what is asked for again, however many others come, and no more than it may', () => {
    const { lengthOf, computed } = counting(100);
    for (let index = 0; index < 10_000; index += 1) {
      lengthOf('usual');
      lengthOf(`rare ${index}`);
    }
    expect(computed.filter((key) => key === 'usual')).toHaveLength(1);
    const before = computed.length;
    for (let index = 9_999; index > 9_999 - 99; index -= 1) lengthOf(`rare ${index}`);
    expect(computed).toHaveLength(before);
    lengthOf('rare 9800');
    expect(computed).toHaveLength(before + 1);
  });
});
