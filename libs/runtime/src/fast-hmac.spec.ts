import { createHmac } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { createFastHmac } from './fast-hmac.js';

describe('createFastHmac', () => {
  it('is HMAC-SHA256 of any text, whatever was hashed before', () => {
    const key = createHmac('sha256', 'secret').update('x').digest();
    const hmac = createFastHmac(key);
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc
        .tuple(fc.constantFrom('a', 'é', '€', '\ud83d', '\ud83d\ude00'), fc.integer({ min: 0, max: 700 }))
        .map(([one, times]) => one.repeat(times)),
      fc.constantFrom('a'.repeat(340), '€'.repeat(340), '€'.repeat(341), ''),
    );
    fc.assert(
      fc.property(text, (one) => {
        const expected = createHmac('sha256', key).update(one).digest();
        expect(hmac.int64(one)).toBe(expected.readBigInt64BE());
        expect(hmac.text(one, 'base64url')).toBe(expected.toString('base64url'));
        expect(hmac.text(one, 'hex')).toBe(expected.toString('hex'));
      }),
    );
  });

  it('takes keys of one block, and no longer ones', () => {
    for (const length of [0, 1, 64]) {
      const key = Buffer.alloc(length, 7);
      expect(createFastHmac(key).text('x', 'hex')).toBe(createHmac('sha256', key).update('x').digest('hex'));
    }
    expect(() => createFastHmac(Buffer.alloc(65))).toThrow(RangeError);
  });
});
