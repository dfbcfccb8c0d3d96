import ipaddr from 'ipaddr.js';

/**
 * Whether an IP address is anything but one of the public internet. IPv4 in any IPv6 dress (mapped, NAT64, 6to4,
 * Teredo) is private, whatever it holds: nothing public is reached that way alone.
 */
export function isPrivateAddress(address: string): boolean {
  // Public IPv6 is 2000::/3 alone; the range tables name only some of what lies outside of it.
  if (ipaddr.IPv6.isValid(address) && !/^[23][0-9a-f]{3}:/i.test(address)) return true;
  return !ipaddr.isValid(address) || ipaddr.process(address).range() !== 'unicast';
}
