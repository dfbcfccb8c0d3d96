import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { clientNetworkOf, networkNames, networksOf } from './address-networks.js';

const names = (address: string) => networksOf(address).map(({ network }) => network);

describe('networks that an address is limited with', () => {
  it.each([
    ['2001:db8:1:2ab::1', ['2001:db8:1:2ab::/64', '2001:db8:1:200::/56', '2001:db8:1::/48']],
    ['2001:DB8:1:2AB:ffff:ffff:ffff:ffff', ['2001:db8:1:2ab::/64', '2001:db8:1:200::/56', '2001:db8:1::/48']],
    ['2001:db8:1:2ff::1', ['2001:db8:1:2ff::/64', '2001:db8:1:200::/56', '2001:db8:1::/48']],
    ['2001:db8:1:300::1', ['2001:db8:1:300::/64', '2001:db8:1:300::/56', '2001:db8:1::/48']],
    ['fe80::1%eth0', ['fe80::/64', 'fe80::/56', 'fe80::/48']],
    ['192.0.2.77', ['192.0.2.77/32', '192.0.2.0/24']],
    ['::ffff:192.0.2.77', ['192.0.2.77/32', '192.0.2.0/24']],
    ['::ffff:c000:24d', ['192.0.2.77/32', '192.0.2.0/24']],
    ['', ['']],
    ['gone', ['gone']],
  ])('of %j are %j', (address, expected) => {
    expect(names(address)).toEqual(expected);
    expect(clientNetworkOf(address)).toBe(expected[0]);
  });

  it('are shared by two IPv6 addresses exactly as far as their first 64, 56 and 48 bits are equal', () => {
    const group = fc.integer({ min: 0, max: 0xffff });
    const address = fc.array(group, { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(address, address, fc.integer({ min: 0, max: 128 }), (one, other, shared) => {
        // The first groups are those of no IPv4 address in IPv6 dress.
        const ofOne = bits([0x2001, ...one.slice(1)]);
        const ofOther = ofOne.slice(0, shared) + bits([0x2001, ...other.slice(1)]).slice(shared);
        const [first, second] = [names(text(ofOne)), names(text(ofOther))];
        expect(first.map((network, index) => network === second[index])).toEqual(
          [64, 56, 48].map((prefix) => ofOne.slice(0, prefix) === ofOther.slice(0, prefix)),
        );
      }),
    );
  });

  it('have more the wider they are, and all of them less than their clients together', () => {
    for (const growth of ['failures', 'requests'] as const) {
      for (const address of ['2001:db8::1', '192.0.2.1']) {
        const times = networksOf(address, growth).map((network) => network.times);
        expect(times[0]).toBe(1);
        expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
        expect(times.at(-1)).toBeLessThan(256);
      }
    }
  });

  it('are named so that the address cannot be learnt without the secret', () => {
    const name = networkNames('a secret of tests, 32 characters and more');
    expect(name('192.0.2.1/32')).not.toBe(networkNames('another secret of tests, 32 characters')('192.0.2.1/32'));
    expect(name('192.0.2.1/32')).not.toContain('192');
    expect(name('192.0.2.1/32')).not.toBe(name('192.0.2.0/24'));
  });
});

const bits = (groups: number[]) => groups.map((group) => group.toString(2).padStart(16, '0')).join('');
const text = (all: string) => (all.match(/.{16}/g) ?? []).map((group) => parseInt(group, 2).toString(16)).join(':');
