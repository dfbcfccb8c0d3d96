import { isIPv6 } from 'node:net';

import { reversedAddress, reverseLabels } from './labels.js';

export interface Host {
  kind: 'name' | 'ip';
  /** As the host of a URL: lower case, punycode, IPv6 in brackets, no trailing dot. */
  ascii: string;
  /** As it is kept; see labels.ts. */
  reversed: string;
}

/** Why a text names no host. `scheme`: of another scheme than the web's, whose hosts are no names of the DNS. */
export type HostRefusal = 'empty' | 'too-long' | 'scheme' | 'credentials' | 'label' | 'unreadable';

const MAX_NAME_LENGTH = 253;
/** Of a text that is no URL: as much as a name can take with all of it escaped. */
const MAX_AUTHORITY_LENGTH = 9 * MAX_NAME_LENGTH;

const LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
const NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);
/**
 * What most texts are: a name that the URL parser leaves as it is, alone or in a web address. Punycode is the parser's to judge,
 * and so is a last label that begins with a digit: it may be a number, and the whole an address.
 */
const PLAIN = new RegExp(
  `^(?:https?://)?((?:(?!xn--)${LABEL}\\.)*(?!xn--|[0-9])${LABEL})\\.?(?::[0-9]{1,4})?(?:[/?#]|$)`,
);
export const WEB_ADDRESS = /^(?:https?|wss?|ftp):[/\\]/i;
/** `mailto:a`, `app://x`, also `user:password@host`, which without a scheme reads as one; `host:8080` is none. */
const OTHER_SCHEME = /^[a-z][a-z0-9+.-]*:(?![0-9]{1,5}(?:[/\\?#]|$))/i;
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;

/**
 * The host of a host, an authority or a web address, the same for all spellings browsers take for the same host. User, port,
 * path and one trailing dot go. Never throws.
 * @param refuseCredentials for data that was fed, where `user@host` is a mistake
 */
export function normaliseHost(text: string, { refuseCredentials = false } = {}): Host | { refused: HostRefusal } {
  const name = PLAIN.exec(text)?.[1];
  if (name !== undefined && name.length <= MAX_NAME_LENGTH) {
    return { kind: 'name', ascii: name, reversed: reverseLabels(name) };
  }
  return normaliseByUrl(text, refuseCredentials);
}

/** By the URL parser, without the fast path. */
export function normaliseByUrl(text: string, refuseCredentials = false): Host | { refused: HostRefusal } {
  const address = webAddressOf(text.trim());
  if (typeof address !== 'string') return address;
  const url = URL.parse(address);
  if (url === null) return { refused: 'unreadable' };
  if (refuseCredentials && (url.username !== '' || url.password !== '')) return { refused: 'credentials' };
  return hostOf(url.hostname);
}

function webAddressOf(text: string): string | { refused: HostRefusal } {
  if (WEB_ADDRESS.test(text)) return text;
  if (isIPv6(text)) return `http://[${text}]`;
  if (OTHER_SCHEME.test(text)) return { refused: 'scheme' };
  const authority = /^(?:\/\/)?([^/\\?#]*)/.exec(text)?.[1] ?? '';
  if (authority === '') return { refused: 'empty' };
  if (authority.length > MAX_AUTHORITY_LENGTH) return { refused: 'too-long' };
  // The parser takes tabs and line breaks out: two lines would be one host.
  return /[\t\n\r]/.test(authority) ? { refused: 'unreadable' } : `http://${authority}`;
}

/** The parser lets through what is no host name: empty labels, long ones, `*`, a hyphen at an end. */
function hostOf(hostname: string): Host | { refused: HostRefusal } {
  if (hostname.startsWith('[') || IPV4.test(hostname)) {
    return { kind: 'ip', ascii: hostname, reversed: reversedAddress(hostname) };
  }
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  if (name === '') return { refused: 'empty' };
  if (name.length > MAX_NAME_LENGTH) return { refused: 'too-long' };
  return NAME.test(name) ? { kind: 'name', ascii: name, reversed: reverseLabels(name) } : { refused: 'label' };
}
