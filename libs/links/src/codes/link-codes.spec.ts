import { describe, expect, it } from '@jest/globals';

import { Snowflakes } from '../ids/snowflake.js';
import { LinkCodes } from './link-codes.js';

const WANTED = { custom: null, prefix: '', length: null };

/** Draws so many codes, of which `collided` in every 1,000 were taken; returns the lengths that were used at the end. */
function lengthAfter(draws: number, collided: number, wanted: { length: number | null } = WANTED): number {
  const codes = new LinkCodes(new Snowflakes({ current: () => 1 }), {
    codeStrategy: 'random',
    secret: 'only for this spec, forty characters ....',
  });
  for (let nth = 0; nth < draws; nth += 1) codes.draw({ ...WANTED, ...wanted }, nth % 1_000 < collided ? 1 : 0);
  return codes.draw({ ...WANTED, ...wanted }, 0).code.length;
}

describe('the length of random codes', () => {
  it('grows by one character when more than one of 100 draws collides, and by another when that is not enough', () => {
    expect(lengthAfter(1_000, 20)).toBe(8);
    expect(lengthAfter(2_000, 20)).toBe(9);
  });

  it('stays while collisions are rare, however many links there are', () => {
    expect(lengthAfter(20_000, 5)).toBe(7);
  });

  it('is what was asked for', () => {
    expect(lengthAfter(3_000, 500, { length: 5 })).toBe(5);
  });
});

describe('codes of which the case of letters does not matter', () => {
  it('use each of 28 characters about equally often, so that no more of them collide than there is room for', () => {
    const codes = new LinkCodes(new Snowflakes({ current: () => 1 }), {
      ...{ codeStrategy: 'random', secret: 'only for this spec, forty characters ....', looseCodes: true },
    });
    const counts = new Map<string, number>();
    for (let nth = 0; nth < 4_000; nth += 1)
      for (const character of codes.draw(WANTED, 0).code) counts.set(character, (counts.get(character) ?? 0) + 1);
    expect([...counts.keys()].sort().join('')).toBe('23456789bcdfghjklmnpqrstvwxz');
    // 1,000 each; the standard deviation is 31, so 250 is never reached by chance.
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(250);
  });
});
