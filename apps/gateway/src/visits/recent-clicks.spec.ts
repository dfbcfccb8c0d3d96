import { describe, expect, it } from '@jest/globals';

import { RecentClicks } from './recent-clicks.js';

const NOON_MS = Date.UTC(2026, 10, 23, 12);

describe('clicks of a client on a link', () => {
  const flooded = (clicks: RecentClicks, linkId: string, address: string | undefined, times: number, atMs = NOON_MS) =>
    Array.from({ length: times }, () => clicks.note(linkId, address, atMs).isFlood);

  it('are a flood above what the setting says in a minute, and none in the next', () => {
    const clicks = new RecentClicks(3);
    expect(flooded(clicks, '1', '192.0.2.1', 5)).toEqual([false, false, false, true, true]);
    expect(flooded(clicks, '1', '192.0.2.1', 1, NOON_MS + 59_999)).toEqual([true]);
    expect(flooded(clicks, '1', '192.0.2.1', 1, NOON_MS + 60_000)).toEqual([false]);
  });

  it('are of one link, and of one address or /64', () => {
    const clicks = new RecentClicks(1);
    expect(flooded(clicks, '1', '192.0.2.1', 2)).toEqual([false, true]);
    expect(flooded(clicks, '2', '192.0.2.1', 1)).toEqual([false]);
    expect(flooded(clicks, '1', '192.0.2.2', 1)).toEqual([false]);
    expect(flooded(clicks, '1', '2001:db8::1', 1)).toEqual([false]);
    expect(flooded(clicks, '1', '2001:db8::ffff:2', 1)).toEqual([true]);
    expect(flooded(clicks, '1', '2001:db8:0:1::1', 1)).toEqual([false]);
  });

  it('are never one where the setting is 0, or nobody knows the address', () => {
    expect(flooded(new RecentClicks(0), '1', '192.0.2.1', 50)).not.toContain(true);
    expect(flooded(new RecentClicks(1), '1', undefined, 50)).not.toContain(true);
  });
});
