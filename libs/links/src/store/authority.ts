import { isIP } from 'node:net';

import { AppError } from '@hopcount/runtime';
import { z } from 'zod';

/** How Shlink's clients name the default domain where `null` cannot be written. */
export const DEFAULT_DOMAIN_NAME = 'DEFAULT';

/** The setting DEFAULT_DOMAIN: authority visitors reach short links at unless a link names another. */
export const defaultDomain = z
  .string()
  .default('localhost:8080')
  .refine((domain) => canonicalAuthority(domain) !== undefined, 'not a host or host:port')
  .transform((domain) => canonicalAuthority(domain) as string);

/**
 * A domain as links are filed under it: lower-case ASCII `host` or `host:port`.
 * @throws AppError `invalid-data` for anything that is no host name with a dot (addresses are refused)
 */
export function parseAuthority(domain: string): string {
  const authority = canonicalAuthority(domain);
  const host = authority?.replace(/:\d+$/, '');
  if (authority === undefined || host === undefined || !host.includes('.') || isIP(host) !== 0) {
    throw new AppError('invalid-data', 'The domain is not a host name.', { details: { invalidElements: ['domain'] } });
  }
  return authority;
}

/** The same spelling for every way to write an authority; undefined when it is none. */
export function canonicalAuthority(domain: string): string | undefined {
  const given = domain.trim();
  if (given === '' || given.length > 253 || /[\s/\\?#@%&]/.test(given)) return undefined;
  const url = URL.parse(`http://${given}`);
  if (url === null) return undefined;
  const labels = url.hostname.replace(/\.$/, '');
  if (!/^\[[0-9a-f:]+\]$/.test(labels) && !/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(labels)) return undefined;
  // The URL parser drops :80; an authority names the port visitors type.
  const port = /:(\d+)$/.exec(given)?.[1];
  return port === undefined ? labels : `${labels}:${Number(port)}`;
}
