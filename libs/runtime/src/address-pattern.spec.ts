import { describe, expect, it } from '@jest/globals';

import { addressPattern } from './address-pattern.js';

describe('a pattern of addresses', () => {
  it.each([
    ['1.2.3.4', ['1.2.3.4', '::ffff:1.2.3.4'], ['1.2.3.5', '2001:db8::1', 'x', '']],
    ['1.2.0.0/16', ['1.2.0.0', '1.2.255.255'], ['1.3.0.0', '2001:db8::1']],
    ['1.2.3.4/0', ['9.9.9.9'], ['2001:db8::1']],
    ['1.2.*.4', ['1.2.0.4', '1.2.255.4', '::ffff:1.2.7.4'], ['1.2.3.5', '2001:db8::1']],
    ['*.*.*.*', ['0.0.0.0'], ['::1']],
    ['2001:db8::1', ['2001:db8::1', '2001:0DB8:0:0::0001'], ['2001:db8::2', '1.2.3.4']],
    ['2001:db8::/32', ['2001:db8:ffff::9'], ['2001:db9::', '1.2.3.4']],
    ['::ffff:1.2.0.0/112', ['1.2.3.4'], ['1.3.0.0']],
    ['::/0', ['2001:db8::1'], ['1.2.3.4']],
  ])('%s means %j and not %j', (pattern, meant, others) => {
    const test = addressPattern(pattern)!;
    expect([meant.map(test), others.map(test)]).toEqual([meant.map(() => true), others.map(() => false)]);
  });

  it.each([
    ...['', '1', '0x7f.1', '1.2.3', '1.2.3.4.5', '1.2.3.256', '1.2.3.4/33', '1.2.3.4/', '1.2.3.4/1/1', '1.2.3.4/-1'],
    ...[
      '1.2.*',
      '1.*.3.256',
      '1.2.*.4/8',
      '2001:db8::*',
      'fe80::1%eth0',
      '2001:db8::/129',
      '::ffff:1.2.3.4/95',
      'a.b.c.d',
    ],
  ])('%j is none', (pattern) => {
    expect(addressPattern(pattern)).toBeUndefined();
  });
});
