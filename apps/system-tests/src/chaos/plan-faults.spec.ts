import { describe, expect, it } from '@jest/globals';

import { type PlannedFault, planFaults } from './plan-faults.js';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

function first(seed: number, count: number): PlannedFault[] {
  const plan = planFaults(seed, NAMES);
  return Array.from({ length: count }, () => plan.next().value);
}

describe('the schedule of faults', () => {
  it('is the same again for the same seed, however much of it is asked for', () => {
    expect(first(7, 40)).toEqual(first(7, 40));
    expect(first(7, 100).slice(0, 40)).toEqual(first(7, 40));
  });

  it('is another one for another seed, and in another round', () => {
    const order = (plan: PlannedFault[]) => plan.map(({ name }) => name).join('');
    const plan = first(7, 2 * NAMES.length);
    expect(order(first(8, NAMES.length))).not.toBe(order(plan.slice(0, NAMES.length)));
    expect(order(plan.slice(NAMES.length))).not.toBe(order(plan.slice(0, NAMES.length)));
    expect(new Set(plan.map(({ seed }) => seed)).size).toBe(plan.length);
  });

  it('leaves out no fault of a round', () => {
    const plan = first(3, 3 * NAMES.length);
    for (let round = 0; round < 3; round += 1) {
      const names = plan.slice(round * NAMES.length, (round + 1) * NAMES.length).map(({ name }) => name);
      expect(names.sort()).toEqual(NAMES);
    }
  });
});
