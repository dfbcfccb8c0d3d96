import { describe, expect, it } from '@jest/globals';

import { KeyPeriods } from './key-periods.js';
import { createHashAddress, createHashVisitor, readIpHash } from './visitor-hashes.js';

const hashKeys = (hashing: string) => ({ hashing, keyPeriods: new KeyPeriods() });

describe('hashVisitor', () => {
  it('is stable for ever: a change would make every visitor a new one', () => {
    const hashVisitor = createHashVisitor(hashKeys('a secret for tests that is long enough'));
    expect(hashVisitor('visitor-1', 0)).toMatchInlineSnapshot(`"4024352065001364"`);
    expect(hashVisitor(null, 0)).toBeNull();
    const hashAddress = createHashAddress(hashKeys('a secret for tests that is long enough'));
    expect(hashAddress('203.0.113.7', 0)).toMatchInlineSnapshot(`"7cb07fbd1697f73f"`);
  });

  it('depends on the secret and fits a signed 64-bit integer', () => {
    const one = createHashVisitor(hashKeys('one secret'))('v', 0);
    expect(one).not.toBe(createHashVisitor(hashKeys('another secret'))('v', 0));
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
