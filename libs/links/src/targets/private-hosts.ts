import { BlockList, isIP } from 'node:net';

/** Address blocks that are not the public internet (IANA special-purpose registries, multicast). */
const NOT_PUBLIC_V4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carrier-grade NAT
  ['127.0.0.0', 8],
  ['169.254.0.0', 16], // link-local, cloud metadata
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;

// Public IPv6 is 2000::/3 alone; inside it these carry or stand for something else.
const NOT_PUBLIC_V6 = [
  ['::', 3],
  ['4000::', 2],
  ['8000::', 1],
  ['2001::', 23], // Teredo, benchmarking, ORCHID and other protocol assignments
  ['2001:db8::', 32],
  ['2002::', 16], // 6to4 wraps any IPv4 address
  ['3fff::', 20],
] as const;

// Two lists: one alone would match IPv4 addresses against `::/3`, in their mapped form.
const blockedV4 = new BlockList();
const blockedV6 = new BlockList();
for (const [network, bits] of NOT_PUBLIC_V4) blockedV4.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of NOT_PUBLIC_V6) blockedV6.addSubnet(network, bits, 'ipv6');

const PRIVATE_SUFFIXES = [
  ...['localhost', 'localdomain', 'local', 'internal', 'intranet', 'lan', 'home', 'corp', 'private', 'home.arpa'],
  // Public names whose answer is an address written in the name, or loopback.
  ...['nip.io', 'sslip.io', 'xip.io', 'localtest.me', 'lvh.me', 'vcap.me', 'lacolhost.com'],
];

/**
 * Whether a host as the WHATWG URL parser returns it is plainly not on the public internet. The
 * parser has already turned every spelling of an IPv4 address (`127.1`, `0x7f.1`, `2130706433`, full-width
 * digits) into dotted decimals. Names are judged by their text alone: this version looks nothing up
 * in the DNS, so a public name with a private address passes.
 */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
  const family = isIP(host);
  if (family === 4) return blockedV4.check(host, 'ipv4');
  if (family === 6) return blockedV6.check(host, 'ipv6');
  // A name without a dot is found only inside somebody's network.
  return !host.includes('.') || PRIVATE_SUFFIXES.some((suffix) => host === suffix || host.endsWith(`.${suffix}`));
}

/** `localhost` and every address that means this machine. */
export function isLoopbackHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
  return host === 'localhost' || host === '::1' || host === '::' || host === '0.0.0.0' || /^127\./.test(host);
}
