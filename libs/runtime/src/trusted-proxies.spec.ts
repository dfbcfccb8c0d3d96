import { describe, expect, it } from '@jest/globals';

import { clientAddress, forwardedScheme, isTrustedPeer, parseTrustedProxies } from './trusted-proxies.js';

const proxies = parseTrustedProxies(['127.0.0.1', '10.0.0.0/8', '::1', '2001:db8:ff::/48']);
const from = (peer: string | undefined, header?: string, trusted = proxies) =>
  clientAddress(peer, header, trusted)?.address;

describe('clientAddress', () => {
  it('is the peer when nobody is trusted, whatever the header says', () => {
    expect(from('203.0.113.9', '1.2.3.4', [])).toBe('203.0.113.9');
    expect(from('203.0.113.9', '1.2.3.4')).toBe('203.0.113.9');
  });

  it('S14: walks right to left past trusted hops', () => {
    expect(from('127.0.0.1', '6.6.6.6, 198.51.100.7, 10.1.2.3')).toBe('198.51.100.7');
    expect(from('10.0.0.1', '10.0.0.3, 10.0.0.2')).toBe('10.0.0.3');
  });

  it('S14: stops at garbage and keeps the last sure hop', () => {
    expect(from('127.0.0.1', '198.51.100.7, rubbish')).toBe('127.0.0.1');
    expect(from('127.0.0.1', 'rubbish, 10.9.9.9')).toBe('10.9.9.9');
    expect(from('127.0.0.1', '198.51.100.7,, 10.9.9.9')).toBe('10.9.9.9');
    for (const garbage of [
      '0x7f.1',
      '1',
      'unknown',
      '1.2.3',
      '1.2.3.4.5',
      '256.1.1.1',
      '01.2.3.4',
      '1.2.3.4:',
      '::g',
      '<script>',
      '',
    ]) {
      expect(from('127.0.0.1', garbage)).toBe('127.0.0.1');
    }
  });

  it('reads a long header from its right end, whatever the client wrote in front', () => {
    for (const junk of ['1.1.1.1, '.repeat(1_000), `${'x'.repeat(100_000)}, `]) {
      expect(from('127.0.0.1', `${junk}198.51.100.7, 10.1.2.3`)).toBe('198.51.100.7');
    }
  });

  it('reads no more than the last 2,048 characters, and no address that they cut in two', () => {
    expect(from('127.0.0.1', 'x'.repeat(100_000))).toBe('127.0.0.1');
    const proxyHops = `, 10.9.9.9${', 10.0.0.1'.repeat(202)}`;
    for (let toTheRight = 2_030; toTheRight <= 2_048; toTheRight += 1) {
      const found = from('127.0.0.1', `1.1.1.1, 198.51.100.7${proxyHops.padEnd(toTheRight)}`);
      expect(found).toBe(toTheRight + ', 198.51.100.7'.length <= 2_048 ? '198.51.100.7' : '10.9.9.9');
    }
  });

  it('takes ports, brackets, zones and mapped IPv4 as they come', () => {
    expect(from('::ffff:203.0.113.9')).toBe('203.0.113.9');
    expect(from('::ffff:127.0.0.1', '198.51.100.7:4711')).toBe('198.51.100.7');
    expect(from('::1', '[2001:db8::1]:443')).toBe('2001:db8::1');
    expect(from('::1', '2001:DB8:0:0::1')).toBe('2001:db8::1');
    expect(from('fe80::1%eth0')).toBe('fe80::1');
    expect(from('2001:db8:ff::5', '[::ffff:198.51.100.7]')).toBe('198.51.100.7');
  });

  it('is undefined when the socket has no peer', () => {
    expect(clientAddress(undefined, '1.2.3.4', proxies)).toBeUndefined();
  });

  it('anonymises IPv4 to /24 and IPv6 to /48', () => {
    expect(clientAddress('203.0.113.9', undefined, [])?.anonymised).toBe('203.0.113.0');
    expect(clientAddress('2001:db8:1:2:3:4:5:6', undefined, [])?.anonymised).toBe('2001:db8:1::');
  });
});

describe('forwardedScheme', () => {
  it.each([
    ['10.0.0.1', 'https', 'https'],
    ['10.0.0.1', 'https, http', 'http'],
    ['10.0.0.1', 'http, HTTPS', 'https'],
    ['10.0.0.1', 'gopher', 'http'],
    ['10.0.0.1', undefined, undefined],
    ['192.0.2.1', 'https', undefined],
    [undefined, 'https', undefined],
  ])('of the peer %s that says %s is %s', (peer, header, scheme) => {
    expect(forwardedScheme(peer, header, parseTrustedProxies(['10.0.0.0/8']))).toBe(scheme);
  });
});

describe('parseTrustedProxies', () => {
  it('refuses what is no network', () => {
    expect(() => parseTrustedProxies(['10.0.0.0/8', 'proxy.local'])).toThrow('proxy.local');
    for (const everybody of ['true', '*', 'all', '1'])
      expect(() => parseTrustedProxies([everybody])).toThrow(everybody);
  });

  it('reads a mapped network as IPv4', () => {
    expect(isTrustedPeer('10.2.3.4', parseTrustedProxies(['::ffff:10.0.0.0/104']))).toBe(true);
  });
});
