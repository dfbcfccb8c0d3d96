import type { IncomingHttpHeaders } from 'node:http';

import { AppError } from '@hopcount/runtime';

/**
 * Which page sent a request, by what only a browser can write: `Sec-Fetch-Site`, in older ones `Origin`. `none` is no page of
 * ours: also links in mails and other programs are opened with it. Without either it is no browser of today, and nobody can tell.
 */
function senderOf(
  headers: IncomingHttpHeaders,
  publicOrigin: string | undefined,
): 'own page' | 'other page' | 'unknown' {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' ? 'own page' : 'other page';
  const { origin, host } = headers;
  if (origin === undefined) return 'unknown';
  // `null` has no host, and neither has a request of HTTP/1.0.
  const from = hostOf(origin);
  const isOwn = origin === publicOrigin || (from !== undefined && from === host?.toLowerCase());
  return isOwn ? 'own page' : 'other page';
}

/** For what a cookie allows to change: the browser sends it along whoever's page asks. @throws AppError `cross-site-request` */
export function expectOwnPage(headers: IncomingHttpHeaders, publicOrigin: string | undefined): void {
  if (senderOf(headers, publicOrigin) === 'own page') return;
  throw new AppError(
    'cross-site-request',
    'With a session only pages of this address change anything: the request needs Sec-Fetch-Site: same-origin, or its own Origin. Programs use an API key.',
  );
}

/** For what begins a session, of programs as well. @throws AppError `cross-site-request` */
export function refuseOtherPage(headers: IncomingHttpHeaders, publicOrigin: string | undefined): void {
  if (senderOf(headers, publicOrigin) !== 'other page') return;
  throw new AppError('cross-site-request', 'Only pages of this address sign somebody in.');
}

function hostOf(origin: string): string | undefined {
  try {
    return new URL(origin).host;
  } catch {
    // No URL: the client sent a damaged header.
    return undefined;
  }
}
