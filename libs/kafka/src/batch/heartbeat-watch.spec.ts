import { describe, expect, it } from '@jest/globals';

import { HeartbeatWatch } from './heartbeat-watch.js';

/** What kafkajs is told, if anything. */
function told(watch: HeartbeatWatch): unknown {
  try {
    watch.fetched();
    return undefined;
  } catch (error) {
    return (error as { type?: string }).type;
  }
}

describe('HeartbeatWatch', () => {
  it('asks kafkajs to join as a new member when two fetches find a session without a heartbeat', () => {
    let nowMs = 1_000;
    const watch = new HeartbeatWatch(10_000, () => nowMs);
    const toldAfter = (stepMs: number) => {
      nowMs += stepMs;
      return told(watch);
    };
    expect([0, 10_000, 1, 300, 300].map(toldAfter)).toEqual([
      undefined,
      undefined,
      undefined,
      'UNKNOWN_MEMBER_ID',
      'UNKNOWN_MEMBER_ID',
    ]);
    watch.joined();
    expect([0, 300].map(toldAfter)).toEqual([undefined, undefined]);
    // An outage: the heartbeat after the first fetch is taken.
    expect(toldAfter(60_000)).toBe(undefined);
    watch.taken(1);
    expect([300, 9_700].map(toldAfter)).toEqual([undefined, undefined]);
    expect([1, 1].map(toldAfter)).toEqual([undefined, 'UNKNOWN_MEMBER_ID']);
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
