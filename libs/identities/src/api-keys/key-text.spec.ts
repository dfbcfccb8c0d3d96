import { describe, expect, it } from '@jest/globals';

import { hashKeyText, isKeyText, makeKeyText } from './key-text.js';

describe('an API key', () => {
  it('S22: names its kind and carries 30 random Base62 digits (178 bits) and a checksum', () => {
    const keys = Array.from({ length: 500 }, makeKeyText);
    for (const key of keys) expect(key).toMatch(/^hc_live_[0-9a-zA-Z]{36}$/);
    expect(new Set(keys.map((key) => key.slice(8, 38))).size).toBe(500);
  });

  it('is told from a mistyped one', () => {
    const key = makeKeyText();
    expect(isKeyText(key)).toBe(true);
    for (let index = 8; index < key.length; index++) {
      const other = key[index] === 'a' ? 'b' : 'a';
      expect(isKeyText(key.slice(0, index) + other + key.slice(index + 1))).toBe(false);
    }
    for (const text of ['', 'hc_live_', key.slice(1), `${key}a`, `${key}\n`]) expect(isKeyText(text)).toBe(false);
  });

  it('S22: is kept as 32 bytes that do not contain it', () => {
    expect(hashKeyText(makeKeyText())).toHaveLength(32);
  });
});
