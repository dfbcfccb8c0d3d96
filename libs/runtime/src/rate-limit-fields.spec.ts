import { describe, expect, it } from '@jest/globals';

import { limitedClient } from './limited-client.js';
import { rateLimitFields, retryAfter } from './rate-limit-fields.js';

describe('header fields of rate limits', () => {
  it('are lists of strings with integer parameters, as structured fields are written', () => {
    const limits = [
      { name: 'read', burst: 5_000, perSecond: 1_000, left: 4_998, fullInMs: 2 },
      { name: 'creates', burst: 10, perSecond: 0.3, left: 0, fullInMs: 33_000 },
    ];
    expect(rateLimitFields(limits)).toEqual([
      ['ratelimit-policy', '"read";q=5000;w=5, "creates";q=10;w=33'],
      ['ratelimit', '"read";r=4998;t=1, "creates";r=0;t=33'],
    ]);
  });

  it('never ask a client to come back at once', () => {
    expect([1, 999, 1_001].map(retryAfter)).toEqual([
      ['retry-after', '1'],
      ['retry-after', '1'],
      ['retry-after', '2'],
    ]);
  });
});

describe('clients that are limited together', () => {
  const name = limitedClient('a secret of tests, 32 characters and more');

  it('are one IPv4 address, or a /64 of IPv6', () => {
    expect(name('192.0.2.1')).not.toBe(name('192.0.2.2'));
    expect(name('2001:db8:1:2::1')).toBe(name('2001:db8:1:2:ffff:ffff:ffff:ffff'));
    expect(name('2001:db8:1:2::1')).not.toBe(name('2001:db8:1:3::1'));
  });

  it('are those of a /48 where whole networks are meant', () => {
    const wide = limitedClient('a secret of tests, 32 characters and more', 48);
    expect(wide('2001:db8:1:2::1')).toBe(wide('2001:db8:1:3::1'));
    expect(wide('2001:db8:1:2::1')).not.toBe(wide('2001:db8:2:2::1'));
    expect(wide('192.0.2.1')).not.toBe(wide('192.0.2.2'));
  });

  it('are named so that nobody without the secret knows the address', () => {
    expect(name('192.0.2.1')).not.toBe(limitedClient('another secret of tests, 32 characters')('192.0.2.1'));
    expect(name('192.0.2.1')).not.toContain('192');
  });
});
