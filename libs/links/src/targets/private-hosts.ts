import { isIP } from 'node:net';

import { isPrivateAddress } from '@hopcount/runtime';
import ipaddr from 'ipaddr.js';

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
  const host = withoutBrackets(hostname);
  if (isIP(host) !== 0) return isPrivateAddress(host);
  // A name without a dot is found only inside somebody's network.
  return !host.includes('.') || PRIVATE_SUFFIXES.some((suffix) => host === suffix || host.endsWith(`.${suffix}`));
}

/** `localhost` and every address that means this machine. */
export function isLoopbackHost(hostname: string): boolean {
  const host = withoutBrackets(hostname);
  if (isIP(host) === 0) return host === 'localhost';
  return ['loopback', 'unspecified'].includes(ipaddr.process(host).range());
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
}
