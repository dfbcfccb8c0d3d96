import { BlockList, isIP } from 'node:net';

export interface NormalisedAddress {
  text: string;
  family: 4 | 6;
}

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

const unroutable = new BlockList();
// RFC 6890 and its successors: unspecified, loopback, discard, documentation, private, link-local, multicast.
for (const [network, prefix] of [
  ['::', 64],
  ['100::', 64],
  ['2001:db8::', 32],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  unroutable.addSubnet(network, prefix, 'ipv6');
}

/** An address as PostgreSQL's `inet` and the geography files take it; null when it is none. */
export function normaliseAddress(value: string): NormalisedAddress | null {
  const text = MAPPED_IPV4.exec(value)?.[1] ?? value;
  const family = isIP(text);
  // Node accepts a zone ("fe80::1%eth0"), nobody else does.
  if (family === 0 || text.includes('%')) return null;
  return { text, family: family as 4 | 6 };
}

/** Whether the address means nothing outside somebody's own network. */
export function isUnroutable(address: NormalisedAddress): boolean {
  return address.family === 4 ? isUnroutableIPv4(address.text) : unroutable.check(address.text, 'ipv6');
}

/** RFC 6890 by hand: a BlockList makes an object of every address (3.5 µs of a visit's budget). */
function isUnroutableIPv4(text: string): boolean {
  const [a = 0, b = 0, c = 0] = text.split('.', 3).map(Number);
  switch (a) {
    case 0: // this network
    case 10: // private
    case 127: // loopback
      return true;
    case 100: // shared (carrier NAT)
      return b >= 64 && b < 128;
    case 169: // link-local
      return b === 254;
    case 172: // private
      return b >= 16 && b < 32;
    case 192: // protocol assignments, documentation, private
      return (b === 0 && (c === 0 || c === 2)) || b === 168;
    case 198: // benchmarking, documentation
      return b === 18 || b === 19 || (b === 51 && c === 100);
    case 203: // documentation
      return b === 0 && c === 113;
    default: // multicast and reserved
      return a >= 224;
  }
}
