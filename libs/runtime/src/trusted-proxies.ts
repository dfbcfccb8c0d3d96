import { isIPv4 } from 'node:net';

import ipaddr from 'ipaddr.js';

import { clientNetworkOf } from './address-networks.js';
import { isPrivateAddress } from './private-address.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/** The address a request came from. What is said of it is found out once. */
export class ClientAddress {
  #network: string | undefined;
  #isPrivate: boolean | undefined;

  /** @param address canonical text @param anonymised IPv4 with the last octet 0, IPv6 cut to its first 48 bits */
  constructor(
    readonly address: string,
    readonly anonymised: string,
  ) {}

  /** Of one client: an IPv4 address, or an IPv6 /64. */
  get network(): string {
    return (this.#network ??= clientNetworkOf(this.address));
  }

  /** Anything but an address of the public internet. */
  get isPrivate(): boolean {
    return (this.#isPrivate ??= isPrivateAddress(this.address));
  }
}

/** So much of a forwarding header is looked at, from its right end: some 40 IPv6 hops. */
const MAX_HEADER_LENGTH = 2_048;

/**
 * CIDRs (or single addresses) of proxies whose forwarding headers are believed.
 * @throws TypeError naming the entry that is neither.
 */
export function parseTrustedProxies(entries: readonly string[]): Network[] {
  return entries.map((entry) => {
    try {
      const [host = ''] = entry.split('/');
      // "1" would be an address, and is a number of hops elsewhere.
      if (!ipaddr.IPv4.isValidFourPartDecimal(host) && !ipaddr.IPv6.isValid(host)) throw new TypeError(host);
      if (entry.includes('/')) return normaliseNetwork(ipaddr.parseCIDR(entry));
      const address = ipaddr.process(entry);
      return [address, address.kind() === 'ipv4' ? 32 : 128];
    } catch {
      throw new TypeError(`"${entry}" is no address or CIDR`);
    }
  });
}

/** ::ffff:10.0.0.0/104 means 10.0.0.0/8: peers are compared in their IPv4 form. */
function normaliseNetwork([address, bits]: Network): Network {
  if (address.kind() === 'ipv6' && (address as ipaddr.IPv6).isIPv4MappedAddress() && bits >= 96) {
    return [(address as ipaddr.IPv6).toIPv4Address(), bits - 96];
  }
  return [address, bits];
}

/**
 * Who asked: the socket's peer, unless the peer is a trusted proxy; then X-Forwarded-For from right
 * to left past trusted proxies. Anything that does not parse ends the walk at the last hop that was
 * sure, so that a client cannot write itself an address to the left of garbage.
 * Undefined when the peer itself is unknown (socket already gone).
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: string | undefined,
  trusted: readonly Network[],
): ClientAddress | undefined {
  let current = parseHop(peer ?? '');
  if (current === undefined) return undefined;
  if (forwardedFor !== undefined && isTrusted(current, trusted)) {
    for (const text of nearestHops(forwardedFor).reverse()) {
      const hop = parseHop(text);
      if (hop === undefined) break;
      current = hop;
      if (!isTrusted(current, trusted)) break;
    }
  }
  return new ClientAddress(current.toString(), anonymise(current));
}

/**
 * The nearest proxies write last, what a client makes up stands in front: a header may be long, its
 * right end is read all the same. The first entry there may be the end of a longer one, so it is left out.
 */
function nearestHops(header: string): string[] {
  if (header.length <= MAX_HEADER_LENGTH) return header.split(',');
  return header.slice(-MAX_HEADER_LENGTH).split(',').slice(1);
}

/** True when the peer may say for whom and over which scheme it asks. */
export function isTrustedPeer(peer: string | undefined, trusted: readonly Network[]): boolean {
  if (trusted.length === 0) return false;
  const address = parseHop(peer ?? '');
  return address !== undefined && isTrusted(address, trusted);
}

/** How the client asked, as a trusted proxy in front of us says; undefined: none does. */
export function forwardedScheme(
  peer: string | undefined,
  forwardedProto: string | string[] | undefined,
  trusted: readonly Network[],
): 'http' | 'https' | undefined {
  return isTrustedPeer(peer, trusted) ? schemeOf(forwardedProto) : undefined;
}

/** @param forwardedProto of a peer that is trusted */
export function schemeOf(forwardedProto: string | string[] | undefined): 'http' | 'https' | undefined {
  if (typeof forwardedProto !== 'string') return undefined;
  // The nearest proxy writes last.
  const nearest = forwardedProto.slice(forwardedProto.lastIndexOf(',') + 1).trim();
  return nearest.toLowerCase() === 'https' ? 'https' : 'http';
}

function isTrusted(address: Address, trusted: readonly Network[]): boolean {
  return trusted.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}

/** `1.2.3.4`, `1.2.3.4:5678`, `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:443`, `fe80::1%eth0`. */
function parseHop(text: string): Address | undefined {
  const trimmed = text.trim();
  const bracketed = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(trimmed)?.[1];
  const bare = bracketed ?? trimmed.replace(/^(\d+\.\d+\.\d+\.\d+):\d{1,5}$/, '$1');
  // On the path of every visit: ipaddr.js would parse it four times over.
  if (isIPv4(bare)) return new ipaddr.IPv4(bare.split('.').map(Number));
  // "1" or "0x7f.1" in a header is garbage, not an address.
  if (!bare.includes(':') || !ipaddr.isValid(bare)) return undefined;
  const address = ipaddr.process(bare);
  if (address.kind() === 'ipv6') (address as ipaddr.IPv6).zoneId = undefined;
  return address;
}

function anonymise(address: Address): string {
  if (address.kind() === 'ipv4') {
    const [a = 0, b = 0, c = 0] = (address as ipaddr.IPv4).octets;
    return `${a}.${b}.${c}.0`;
  }
  const parts = (address as ipaddr.IPv6).parts.map((part, index) => (index < 3 ? part : 0));
  return new ipaddr.IPv6(parts).toString();
}
