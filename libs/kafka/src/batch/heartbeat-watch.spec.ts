import { describe, expect, it } from '@jest/globals';

import { HeartbeatWatch } from './heartbeat-watch.js';

/** What kafkajs is told, if anything. */
function told(watch: HeartbeatWatch): unknown {
  try {
    watch.assertMember();
    return undefined;
  } catch (error) {
    return (error as { type?: string }).type;
  }
}

describe('HeartbeatWatch', () => {
  it('asks kafkajs to join as a new member once a session has passed without a heartbeat, until one is taken', () => {
    let nowMs = 1_000;
    const watch = new HeartbeatWatch(10_000, () => nowMs);
    const seen: unknown[] = [];
    for (const stepMs of [0, 10_000, 1, 5_000]) {
      nowMs += stepMs;
      seen.push(told(watch));
    }
    watch.taken(1);
    expect([...seen, told(watch)]).toEqual([undefined, undefined, 'UNKNOWN_MEMBER_ID', 'UNKNOWN_MEMBER_ID', undefined]);
    nowMs += 10_001;
    watch.joined();
    expect(told(watch)).toBe(undefined);
  });

  it('asks kafkajs to join again when heartbeats are of a generation whose partitions it was never told', () => {
    const watch = new HeartbeatWatch(10_000, () => 0);
    const seen: unknown[] = [];
    for (const generationId of [4, 4, 5, 5]) {
      watch.taken(generationId);
      seen.push(told(watch));
    }
    watch.joined();
    watch.taken(6);
    watch.taken(6);
    expect([...seen, told(watch)]).toEqual([
      undefined,
      undefined,
      'REBALANCE_IN_PROGRESS',
      'REBALANCE_IN_PROGRESS',
      undefined,
    ]);
  });
});
