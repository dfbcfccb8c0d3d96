import { createHmac } from 'node:crypto';
import { isIPv4 } from 'node:net';

import ipaddr from 'ipaddr.js';

import { createFastHmac } from './fast-hmac.js';

/**
 * How much more than one client each network of an address gets, narrowest network first. A host has an IPv6 /64, a
 * household a /56, a customer of a hoster a /48; an IPv4 /24 is often shared by strangers.
 * `failures`: wrong passwords, keys and codes, which few people behind one network produce. `requests`: also what visitors
 * do by right, and a mobile carrier has thousands of them in a /48.
 */
const GROWTH = {
  failures: { ipv6: { 64: 1, 56: 2, 48: 3 }, ipv4: { 32: 1, 24: 4 } },
  requests: { ipv6: { 64: 1, 56: 4, 48: 16 }, ipv4: { 32: 1, 24: 16 } },
} as const;

export type LimitGrowth = keyof typeof GROWTH;

export interface AddressNetwork {
  /** `2001:db8:1:2::/64`; the text that was given where it is no address. */
  network: string;
  /** How many times the limit of one client it has. */
  times: number;
}

/**
 * The networks that an address is limited with, narrowest first: whoever moves through the addresses of one network
 * uses up the limit of that network, and of no other one.
 * @param address as in `ClientAddress`; IPv4 that comes mapped into IPv6 is IPv4
 */
export function networksOf(address: string, growth: LimitGrowth = 'failures'): AddressNetwork[] {
  if (!ipaddr.isValid(address)) return [{ network: address, times: 1 }];
  const parsed = ipaddr.process(address);
  const ladder: Record<string, number> = GROWTH[growth][parsed.kind()];
  // Keys that are whole numbers come in rising order: the widest network first.
  return Object.entries(ladder)
    .map(([prefix, times]) => ({ network: `${cut(parsed, Number(prefix))}/${prefix}`, times }))
    .reverse();
}

/** Of one client: an IPv4 address, or an IPv6 /64. */
export function clientNetworkOf(address: string): string {
  return isIPv4(address) ? `${address}/32` : (networksOf(address)[0]?.network ?? address);
}

/** Names networks for others to keep: a keyed hash, as the name leaves the process and the address may not. */
export function networkNames(secret: string): (network: string) => string {
  const hmac = createFastHmac(createHmac('sha256', secret).update('hopcount rate limits').digest());
  return (network) => hmac.text(network, 'base64url').slice(0, 22);
}

function cut(address: ipaddr.IPv4 | ipaddr.IPv6, prefix: number): string {
  const bytes = address.toByteArray().map((byte, index) => (index < prefix / 8 ? byte : 0));
  return ipaddr.fromByteArray(bytes).toString();
}
