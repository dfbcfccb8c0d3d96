import { describe, expect, it } from '@jest/globals';

import { ClientAddress } from '@hopcount/runtime';

import { RecentClicks } from './recent-clicks.js';

const NOON_MS = Date.UTC(2026, 10, 23, 12);

describe('clicks of a client on a link', () => {
  const of = (address: string) => new ClientAddress(address, address);
  const flooded = (clicks: RecentClicks, linkId: string, address: string | undefined, times: number, atMs = NOON_MS) =>
    Array.from(
      { length: times },
      () => clicks.note(linkId, address === undefined ? undefined : of(address), atMs).isFlood,
    );

  it('are a flood above what the setting says in a minute, and none in the next', () => {
    const clicks = new RecentClicks(3);
    expect(flooded(clicks, '1', '93.184.216.1', 5)).toEqual([false, false, false, true, true]);
    expect(flooded(clicks, '1', '93.184.216.1', 1, NOON_MS + 59_999)).toEqual([true]);
    expect(flooded(clicks, '1', '93.184.216.1', 1, NOON_MS + 60_000)).toEqual([false]);
  });

  it('of the minute before, whose ids were drawn then, begin no other minute', () => {
    const clicks = new RecentClicks(3);
    expect(flooded(clicks, '1', '93.184.216.1', 3)).not.toContain(true);
    expect(flooded(clicks, '1', '93.184.216.1', 1, NOON_MS - 1)).toEqual([true]);
    expect(flooded(clicks, '1', '93.184.216.1', 1)).toEqual([true]);
    // A clock that was set back does.
    expect(flooded(clicks, '1', '93.184.216.1', 1, NOON_MS - 120_000)).toEqual([false]);
  });

  it.each(['10.0.0.1', '192.168.1.1', '127.0.0.1', '169.254.1.1', '100.64.0.1', '::1', 'fe80::1', 'fd00::1'])(
    'from %s, behind which are others, are counted and none is flagged',
    (address) => {
      const clicks = new RecentClicks(1);
      expect(flooded(clicks, '1', address, 3)).toEqual([false, false, false]);
      expect([clicks.note('1', of(address), NOON_MS).number, clicks.floods]).toEqual([4, { flagged: 0, private: 3 }]);
    },
  );

  it('are of one link, and of one address or /64', () => {
    const clicks = new RecentClicks(1);
    expect(flooded(clicks, '1', '93.184.216.1', 2)).toEqual([false, true]);
    expect(flooded(clicks, '2', '93.184.216.1', 1)).toEqual([false]);
    expect(flooded(clicks, '1', '93.184.216.2', 1)).toEqual([false]);
    expect(flooded(clicks, '1', '2a00:db8::1', 1)).toEqual([false]);
    expect(flooded(clicks, '1', '2a00:db8::ffff:2', 1)).toEqual([true]);
    expect(flooded(clicks, '1', '2a00:db8:0:1::1', 1)).toEqual([false]);
  });

  it('are looked at of 100,000 clients and links in a minute; of more only those of them, until the next minute', () => {
    const clicks = new RecentClicks(2);
    for (let n = 0; n < 100_000; n += 1)
      clicks.note(`${n % 7}`, of(`93.${n >> 16}.${(n >> 8) & 255}.${n & 255}`), NOON_MS);
    expect(flooded(clicks, '1', '94.1.1.1', 4)).not.toContain(true);
    expect(flooded(clicks, 'other', '93.0.0.0', 4)).not.toContain(true);
    expect(flooded(clicks, '0', '93.0.0.0', 2)).toEqual([false, true]);
    expect(flooded(clicks, '1', '94.1.1.1', 3, NOON_MS + 60_000)).toEqual([false, false, true]);
  });

  it('are never one where the setting is 0, or nobody knows the address', () => {
    expect(flooded(new RecentClicks(0), '1', '93.184.216.1', 50)).not.toContain(true);
    expect(flooded(new RecentClicks(1), '1', undefined, 50)).not.toContain(true);
  });
});
