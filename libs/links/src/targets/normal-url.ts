import { createHash } from 'node:crypto';

/** One spelling for all that the URL standard calls one address: `HTTPS://Example.com:443` is `https://example.com/`. */
export function normalUrl(longUrl: string): string {
  return URL.parse(longUrl)?.href ?? longUrl;
}

/** SHA-256 of the normal spelling, as PostgreSQL writes bytes (`\x…`). */
export function urlHash(longUrl: string): string {
  return `\\x${createHash('sha256').update(normalUrl(longUrl)).digest('hex')}`;
}
