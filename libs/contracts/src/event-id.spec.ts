import { describe, expect, it } from '@jest/globals';

import { checksumText, eventIdChecksum, eventIdTimeMs, isEventId } from './event-id.js';

describe('an event id', () => {
  const id = '01939d2c-7a10-7abc-bfed-cba987654321';

  it('carries its time', () => {
    expect(eventIdTimeMs(id)).toBe(0x01939d2c7a10);
    expect(eventIdTimeMs('ffffffff-ffff-7000-8000-000000000000')).toBe(2 ** 48 - 1);
    for (const none of ['', 'gw-1-2', id.slice(0, 12), `x${id.slice(1)}`, `${id.slice(0, 12)}\u20ac`]) {
      expect(eventIdTimeMs(none)).toBeNaN();
    }
  });

  it('has the last 62 bits as its checksum', () => {
    const { hi, lo } = eventIdChecksum(id);
    expect(checksumText(hi, lo)).toBe((0xbfedcba987654321n & ((1n << 62n) - 1n)).toString());
  });

  it('has one spelling', () => {
    expect(isEventId(id)).toBe(true);
    expect(isEventId(id.toUpperCase())).toBe(false);
    expect(isEventId('01939d2c-7a10-4abc-bfed-cba987654321')).toBe(false);
  });
});
