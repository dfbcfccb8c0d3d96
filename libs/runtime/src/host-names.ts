import { isIP } from 'node:net';

import ipaddr from 'ipaddr.js';

import { isPrivateAddress } from './private-address.js';

const PRIVATE_SUFFIXES = [
  ...['localhost', 'localdomain', 'local', 'internal', 'intranet', 'lan', 'home', 'corp', 'private', 'home.arpa'],
  // Services of Kubernetes and of Consul.
  ...['svc', 'consul'],
  // Public names whose answer is an address written in the name, or loopback.
  ...['nip.io', 'sslip.io', 'xip.io', 'localtest.me', 'lvh.me', 'vcap.me', 'lacolhost.com'],
];

/** Reserved (RFC 2606, 6761, 7686, 9476), or of other networks: no public DNS has them, so whatever answers is no public host. */
const UNREACHABLE_SUFFIXES = ['test', 'example', 'invalid', 'alt', 'onion', 'i2p', 'arpa', 'mail'];

/**
 * Whether a host as the WHATWG URL parser returns it is plainly not on the public internet. The
 * parser has already turned every spelling of an IPv4 address (`127.1`, `0x7f.1`, `2130706433`, full-width
 * digits) into dotted decimals. Names are judged by their text alone: this looks nothing up
 * in the DNS, so a public name with a private address passes.
 */
export function isPrivateHost(hostname: string): boolean {
  const host = withoutBrackets(hostname);
  if (isIP(host) !== 0) return isPrivateAddress(host);
  // A name without a dot is found only inside somebody's network.
  return !host.includes('.') || endsIn(host, PRIVATE_SUFFIXES);
}

/**
 * Whether Hopcount may ask a host by itself as one of the public internet. Stricter than {@link isPrivateHost}: a visitor's browser
 * may have a way to `.onion`, and a server that has one found it in its own network.
 */
export function isPublicHost(hostname: string): boolean {
  return !isPrivateHost(hostname) && !endsIn(withoutBrackets(hostname), UNREACHABLE_SUFFIXES);
}

/** `localhost` and every address that means this machine. */
export function isLoopbackHost(hostname: string): boolean {
  const host = withoutBrackets(hostname);
  if (isIP(host) === 0) return host === 'localhost';
  return ['loopback', 'unspecified'].includes(ipaddr.process(host).range());
}

function endsIn(host: string, suffixes: readonly string[]): boolean {
  return suffixes.some((suffix) => host === suffix || host.endsWith(`.${suffix}`));
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
}
