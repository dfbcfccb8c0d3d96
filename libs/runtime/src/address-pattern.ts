import ipaddr from 'ipaddr.js';

export type AddressTest = (address: string) => boolean;

/**
 * Whether an address is meant by `1.2.3.4`, `1.2.0.0/16`, `1.2.*.4`, `2001:db8::1` or `2001:db8::/32`. IPv4 addresses
 * written as IPv6 count as IPv4. Undefined when the text is none of these.
 */
export function addressPattern(text: string): AddressTest | undefined {
  const octets = text.split('.');
  if (text.includes('*')) return octets.length === 4 ? wildcard(octets) : undefined;
  const [address = '', bits, ...more] = text.split('/');
  // Only the four-part decimal form of IPv4: "1" and "0x7f.1" are addresses to some, and to others none.
  if (more.length > 0 || (!address.includes(':') && !ipaddr.IPv4.isValidFourPartDecimal(address))) return undefined;
  if (!ipaddr.isValid(address) || address.includes('%')) return undefined;
  const network = ipaddr.process(address);
  const length = network.kind() === 'ipv4' ? 32 : 128;
  const isMapped = length === 32 && address.includes(':');
  const prefix = bits === undefined ? length : prefixOf(bits, isMapped);
  if (prefix === undefined || prefix > length) return undefined;
  return (asked) => {
    const other = parse(asked);
    return other !== undefined && other.kind() === network.kind() && other.match(network, prefix);
  };
}

function prefixOf(bits: string, isMapped: boolean): number | undefined {
  if (!/^\d{1,3}$/.test(bits)) return undefined;
  const prefix = isMapped ? Number(bits) - 96 : Number(bits);
  return prefix < 0 ? undefined : prefix;
}

function wildcard(octets: readonly string[]): AddressTest | undefined {
  const isOctet = (octet: string) => octet === '*' || (/^(0|[1-9]\d{0,2})$/.test(octet) && Number(octet) <= 255);
  if (!octets.every(isOctet)) return undefined;
  return (asked) => {
    const address = parse(asked);
    if (address?.kind() !== 'ipv4') return false;
    const given = (address as ipaddr.IPv4).octets;
    return octets.every((octet, place) => octet === '*' || Number(octet) === given[place]);
  };
}

function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  return ipaddr.isValid(address) ? ipaddr.process(address) : undefined;
}
