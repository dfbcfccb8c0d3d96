import { BlockList, isIP } from 'node:net';

export interface ClientAddress {
  text: string;
  family: 4 | 6;
}

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

const unroutable = new BlockList();
// RFC 6890 and its successors: private, shared, loopback, link-local, documentation, multicast, reserved.
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  unroutable.addSubnet(network, prefix, 'ipv4');
}
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
export function normaliseAddress(value: string): ClientAddress | null {
  const text = MAPPED_IPV4.exec(value)?.[1] ?? value;
  const family = isIP(text);
  // Node accepts a zone ("fe80::1%eth0"), nobody else does.
  if (family === 0 || text.includes('%')) return null;
  return { text, family: family as 4 | 6 };
}

/** Whether the address means nothing outside somebody's own network. */
export function isUnroutable(address: ClientAddress): boolean {
  return unroutable.check(address.text, address.family === 4 ? 'ipv4' : 'ipv6');
}
