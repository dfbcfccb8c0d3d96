// NUL is what this file is about.
const NEEDS_CARE = /[\0\ud800-\udfff]/;
// With the u flag a surrogate that is half of a pair is no match: only lone ones are.
const UNSTORABLE = /\0|\p{Surrogate}/gu;
const NOT_ASCII = /[\x80-\xff]/;
const REPLACEMENT = '\ufffd';

/**
 * Text PostgreSQL can hold: it refuses U+0000, and UTF-8 has no lone surrogates. Both are removed
 * here, at the only place that makes visits, so that no valid visit becomes a dead letter.
 */
export function storableText(text: string): string {
  return NEEDS_CARE.test(text) ? text.replace(UNSTORABLE, '') : text;
}

/** At most `limit` UTF-16 units of storable text; never half a surrogate pair. */
export function cutText(text: string, limit: number): string {
  const storable = storableText(text);
  return storable.length > limit ? storableText(storable.slice(0, limit)) : storable;
}

/** Bytes of a text looked at: beyond this nothing can survive any limit of an event. */
const BYTES_READ = 4 * 1_024;

/**
 * Node hands over header bytes as Latin-1. Bytes that are UTF-8 are read as such; anything else
 * stays as it came. No more than the first 4 KB.
 */
export function decodeHeader(given: string): string {
  const value = given.length > BYTES_READ ? given.slice(0, BYTES_READ) : given;
  if (!NOT_ASCII.test(value)) return value;
  const text = Buffer.from(value, 'latin1').toString('utf8');
  return text.includes(REPLACEMENT) ? value : text;
}
