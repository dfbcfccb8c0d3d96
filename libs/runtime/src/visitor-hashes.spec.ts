import { createHmac } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import { createFastHmac, createHashVisitor, readIpHash } from './visitor-hashes.js';

describe('hashVisitor', () => {
  it('is HMAC-SHA256, whatever was hashed before', () => {
    const key = createHmac('sha256', 'secret').update('x').digest();
    const hmac = createFastHmac(key);
    for (const text of ['a'.repeat(64), 'b', '', 'é'.repeat(64), '€'.repeat(64), 'visitor']) {
      expect(hmac(text).toString('hex')).toBe(createHmac('sha256', key).update(text).digest('hex'));
    }
  });

  it('is stable for ever: a change would make every visitor a new one', () => {
    const hashVisitor = createHashVisitor('a secret for tests that is long enough');
    expect(hashVisitor('visitor-1')).toMatchInlineSnapshot(`"4024352065001364"`);
    expect(hashVisitor(null)).toBeNull();
  });

  it('depends on the secret and fits a signed 64-bit integer', () => {
    const one = createHashVisitor('one secret')('v');
    expect(one).not.toBe(createHashVisitor('another secret')('v'));
    expect(BigInt.asIntN(64, BigInt(one ?? 0)).toString()).toBe(one);
  });
});

describe('readIpHash', () => {
  it('reads 16 hex digits as a signed number', () => {
    expect(readIpHash('ffffffffffffffff')).toBe('-1');
    expect(readIpHash('7fffffffffffffff')).toBe('9223372036854775807');
    expect(readIpHash('0000000000000010')).toBe('16');
    expect(readIpHash(null)).toBeNull();
  });
});
