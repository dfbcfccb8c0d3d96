import { describe, expect, it } from '@jest/globals';

import { checksumText, eventIdChecksum, eventIdTimeMs, isEventId } from './event-id.js';

describe('an event id', () => {
  const id = '01939d2c-7a10-7abc-bfed-cba987654321';

  it('carries its time', () => {
    expect(eventIdTimeMs(id)).toBe(0x01939d2c7a10);
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
