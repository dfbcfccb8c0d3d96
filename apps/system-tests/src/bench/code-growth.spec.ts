import { describe, expect, it } from '@jest/globals';

import { growthOf, poissonTail } from './code-growth.js';

/** Seeded, so that the spec says the same each time (Park and Miller, 1988). */
function numbersBelowOne(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** Draws code by code, as LinkCodes does. */
function simulate(alphabet: number, first: number, links: number, seed: number) {
  const next = numbersBelowOne(seed);
  const taken = new Map<number, Set<number>>();
  const lengths = [{ length: first, fromLinks: 0 }];
  let [length, draws, collided, collisions] = [first, 0, 0, 0];
  for (let made = 0; made < links;) {
    const codes = taken.get(length) ?? new Set<number>();
    taken.set(length, codes);
    const code = Math.floor(next() * alphabet ** length);
    const hasCollided = codes.has(code);
    codes.add(code);
    if (hasCollided) collisions += 1;
    else made += 1;
    draws += 1;
    collided += hasCollided ? 1 : 0;
    if (draws < 1_000) continue;
    if (collided > 10) lengths.push({ length: (length += 1), fromLinks: made });
    [draws, collided] = [0, 0];
  }
  return { lengths, collisions };
}

describe('the growth of random codes', () => {
  it('is that of codes drawn one by one: their lengths, when they grow, and how many collide', () => {
    const runs = [1, 2, 3, 4, 5].map((seed) => simulate(20, 5, 500_000, seed));
    const expected = growthOf({ alphabet: 20, length: 5 }, 500_000);
    const median = (values: number[]) => values.sort((a, b) => a - b)[2]!;
    expect(expected.lengths.map(({ length }) => length)).toEqual([5, 6, 7]);
    for (const run of runs) expect(run.lengths).toHaveLength(3);
    for (const nth of [1, 2]) {
      const grew = median(runs.map(({ lengths }) => lengths[nth]!.fromLinks));
      expect(Math.abs(grew / expected.lengths[nth]!.fromLinks - 1)).toBeLessThan(0.15);
    }
    expect(Math.abs(median(runs.map(({ collisions }) => collisions)) / expected.collisions - 1)).toBeLessThan(0.25);
  });

  it('counts the collisions of few codes among many as n squared by twice the space', () => {
    const { lengths, collisions, worst } = growthOf({ alphabet: 47, length: 9 }, 1e9);
    expect(lengths).toEqual([{ length: 9, fromLinks: 0 }]);
    expect(collisions).toBeCloseTo(1e18 / 2 / 47 ** 9, 3);
    expect(worst).toBeCloseTo(1e9 / 47 ** 9, 12);
  });
});

describe('the tail of a Poisson distribution', () => {
  // Of its definition: 1 - the sum of the first terms.
  it.each([
    [0, 1, 1 - Math.exp(-1)],
    [2, 3, 1 - Math.exp(-3) * (1 + 3 + 4.5)],
    [10, 10, 0.4169602498],
  ])('of more than %d where %d are expected', (most, mean, probability) => {
    expect(poissonTail(most, mean)).toBeCloseTo(probability, 8);
  });

  it('is not lost where it is small', () => {
    expect(poissonTail(10, 0.01) / (1e-22 / 39_916_800)).toBeCloseTo(0.991, 2);
  });
});
