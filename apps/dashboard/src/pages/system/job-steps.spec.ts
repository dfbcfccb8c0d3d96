import { describe, expect, it } from '@jest/globals';

import { numbersOf, percentOf, stepsOf } from './job-steps.js';

describe('a job on the system page', () => {
  it('offers what its state takes, and nothing once it has ended', () => {
    expect(stepsOf({ state: 'planned' })).toEqual(['start', 'cancel']);
    expect(stepsOf({ state: 'running' })).toEqual(['pause', 'cancel']);
    expect(stepsOf({ state: 'paused' })).toEqual(['resume', 'cancel']);
    expect(stepsOf({ state: 'done' })).toEqual([]);
    expect(stepsOf({ state: 'cancelled' })).toEqual([]);
  });

  it('has a share only of what is known', () => {
    expect(percentOf({ done: 50, total: 200 })).toBe(25);
    expect(percentOf({ done: 50, total: null })).toBeUndefined();
    expect(percentOf({ done: 0, total: 0 })).toBeUndefined();
    expect(percentOf({ done: 7, total: 5 })).toBeUndefined();
  });

  it('shows the whole plan until it is started, then what was done, and never nothing', () => {
    const plan = { links: 400, differences: 0 };
    const startedAt = '2026-11-30T07:00:00+00:00';
    expect(numbersOf({ plan, counts: {}, startedAt: null })).toEqual(Object.entries(plan));
    expect(numbersOf({ plan, counts: { links: 7, slots: 0, buckets: 3 }, startedAt })).toEqual([
      ['links', 7],
      ['buckets', 3],
    ]);
    expect(numbersOf({ plan, counts: { hours: 0, visits: 0 }, startedAt })).toEqual([['hours', 0]]);
  });
});
