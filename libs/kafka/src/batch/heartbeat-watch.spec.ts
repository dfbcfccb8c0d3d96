import { describe, expect, it } from '@jest/globals';

import { HeartbeatWatch } from './heartbeat-watch.js';

describe('HeartbeatWatch', () => {
  it('asks kafkajs to join anew once a session has passed without a heartbeat, until one is taken', () => {
    let nowMs = 1_000;
    const watch = new HeartbeatWatch(10_000, () => nowMs);
    const isHeard = () => {
      try {
        watch.assertHeard();
        return true;
      } catch (error) {
        expect(error).toMatchObject({ type: 'UNKNOWN_MEMBER_ID' });
        return false;
      }
    };
    const seen: boolean[] = [];
    for (const stepMs of [0, 10_000, 1, 5_000]) {
      nowMs += stepMs;
      seen.push(isHeard());
    }
    watch.taken();
    expect([...seen, isHeard()]).toEqual([true, true, false, false, true]);
  });
});
