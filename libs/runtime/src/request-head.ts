import type { IncomingMessage } from 'node:http';

const SLASH = 0x2f;
const ABSOLUTE = /^(https?):\/\/([^/?#]*)([^#]*)/i;
/** An authority that names somebody is a way to hide the host (RFC 9110, 4.2.4). */
const UNUSABLE_AUTHORITY = /^$|[@\s\\]/;
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
/**
 * Brings the request line and Host into the one form that everything behind reads: a target in absolute form is served as its
 * path, and its authority replaces Host (RFC 9112, 3.2.2). To be called before anything else looks at the request.
 * @returns false: 400 is the answer. Two Host headers are two answers to the question whose link it is, and a proxy in
 * front may have chosen the other one (RFC 9112, 3.2); of an absolute target, no host that can be asked for is named.
 */
export function settleRequestHead(request: IncomingMessage): boolean {
  if (hasSeveralHosts(request.rawHeaders)) return false;
  const { url = '/' } = request;
  return url.charCodeAt(0) === SLASH || !SCHEME.test(url) || takeAbsolute(request, url);
}

/** @param rawHeaders name, value, name, value … as they came */
function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

function takeAbsolute(request: IncomingMessage, url: string): boolean {
  const [, scheme = '', authority = '', rest = ''] = ABSOLUTE.exec(url) ?? [];
  if (UNUSABLE_AUTHORITY.test(authority)) return false;
  const defaultPort = scheme.toLowerCase() === 'https' ? ':443' : ':80';
  request.headers.host = authority.endsWith(defaultPort) ? authority.slice(0, -defaultPort.length) : authority;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  return true;
}
