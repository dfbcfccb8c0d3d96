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

/**
 * Node hands over header bytes as Latin-1. Bytes that are UTF-8 are read as such; anything else
 * stays as it came.
 */
export function decodeHeader(value: string): string {
  if (!NOT_ASCII.test(value)) return value;
  const text = Buffer.from(value, 'latin1').toString('utf8');
  return text.includes(REPLACEMENT) ? value : text;
}
