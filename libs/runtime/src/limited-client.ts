import { createHmac } from 'node:crypto';

import ipaddr from 'ipaddr.js';

/**
 * Names whose requests are limited together: those of an IPv4 address, or of the /64 of an IPv6 one, of which a single
 * client has all (of a /48 a single customer). A keyed hash, as the name leaves the process and the address may not.
 */
export function limitedClient(secret: string, ipv6Prefix: 48 | 64 = 64): (address: string) => string {
  const key = createHmac('sha256', secret).update('hopcount rate limits').digest();
  return (address) => createHmac('sha256', key).update(networkOf(address, ipv6Prefix)).digest('base64url').slice(0, 22);
}

/** @param address as in `ClientAddress`: IPv4 in its four parts, also where it came mapped into IPv6 */
export function networkOf(address: string, ipv6Prefix: 48 | 64 = 64): string {
  if (!address.includes(':')) return address;
  const parts = ipaddr.IPv6.parse(address).parts.map((part, index) => (index < ipv6Prefix / 16 ? part : 0));
  return new ipaddr.IPv6(parts).toString();
}
