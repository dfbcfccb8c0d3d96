import type { RequestTarget } from '../redirect/request-target.js';

/** What a cookie's path may hold as it was sent. */
const PLAIN_PATH = /^\/[\w.~!$&'()*+=@%-]+$/;

/** The link's path as it was asked for, or (what could end a cookie's attribute) in another spelling of the same. */
export function linkPath(url: string, { code = '', extraPath, query }: RequestTarget): string {
  const length = url.length - extraPath.length - (url.includes('?') ? query.length + 1 : 0);
  const path = url.slice(0, length);
  return PLAIN_PATH.test(path) ? path : `/${encodeURIComponent(code)}`;
}
