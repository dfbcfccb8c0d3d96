import { describe, expect, it } from '@jest/globals';

import { isPrivateAddress } from './private-address.js';

describe('an address', () => {
  it.each(['8.8.8.8', '1.1.1.1', '2606:4700:4700::1111', '2A00:1450:4001:801::200E'])('%s is public', (address) => {
    expect(isPrivateAddress(address)).toBe(false);
  });

  it.each([
    ...[
      '127.0.0.1',
      '127.255.0.1',
      '0.0.0.0',
      '10.0.0.5',
      '172.16.0.1',
      '192.168.1.1',
      '100.64.0.1',
      '169.254.169.254',
    ],
    ...['192.0.2.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '240.0.0.1', '192.0.0.1'],
    ...['::', '::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::1'],
    ...[
      '2002:7f00:1::',
      '2001:0:53aa:64c:0:1:2:3',
      '2001:db8::1',
      'fe80::1',
      'fe80::1%eth0',
      'fc00::1',
      'fd00:ec2::254',
    ],
    ...['ff02::1', 'fec0::1', '100::1', '', 'localhost', 'no address'],
  ])('%s is not', (address) => {
    expect(isPrivateAddress(address)).toBe(true);
  });
});
