import { describe, expect, it } from '@jest/globals';

import { backOffMs, PartitionStates } from './partition-states.js';

describe('backOffMs', () => {
  it('doubles from a second to half a minute, with jitter around it', () => {
    const middle = () => 0.5;
    expect([1, 2, 3, 5, 6, 40].map((failures) => backOffMs(failures, middle))).toEqual([
      1_000, 2_000, 4_000, 16_000, 30_000, 30_000,
    ]);
    expect(backOffMs(1, () => 0)).toBe(875);
    expect(backOffMs(1, () => 1)).toBe(1_125);
  });
});

describe('PartitionStates', () => {
  it('starts every partition of a generation in deciding', () => {
    const states = new PartitionStates();
    const first = states.assign([0, 1]);
    states.set(0, { name: 'reading', failures: 0, nextOffset: 5n });
    const second = states.assign([0, 2]);
    expect(second).toBeGreaterThan(first);
    expect(states.partitions()).toEqual([0, 2]);
    expect(states.get(0)).toEqual({ name: 'deciding', failures: 0 });
  });

  it('stops work when the coordinator refuses a heartbeat, and goes on when it takes the next one', () => {
    const states = new PartitionStates();
    const before = states.assign([0]);
    const now = states.assign([0]);
    states.loseMembership(before);
    expect([states.isCurrent(before), states.isCurrent(now)]).toEqual([false, true]);
    states.loseMembership(now);
    expect([states.isAssigned(now), states.isCurrent(now)]).toEqual([true, false]);
    states.keepMembership();
    expect([states.isAssigned(now), states.isCurrent(now)]).toEqual([true, true]);
    states.loseMembership(now);
    expect(states.isCurrent(states.assign([0]))).toBe(true);
  });

  it('ignores what is said of a partition that is gone, and stops its timer', async () => {
    const states = new PartitionStates();
    states.assign([0]);
    let fired = 0;
    const timer = () => setTimeout(() => (fired += 1), 10);
    states.set(7, { name: 'backing-off', failures: 1, timer: timer() });
    states.set(0, { name: 'backing-off', failures: 1, timer: timer() });
    states.clear();
    expect(states.get(7)).toBeUndefined();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(fired).toBe(0);
  });
});
