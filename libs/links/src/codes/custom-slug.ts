import { AppError } from '@hopcount/runtime';

import { dashed } from '../store/names.js';
import { isReservedSlug, looksLikeAnother } from './reserved-slugs.js';

/** In UTF-16 code units, as in the visit event. */
export const MAX_CODE_LENGTH = 256;
/** Leaves room for every code that may be generated after it. */
export const MAX_PREFIX_LENGTH = MAX_CODE_LENGTH / 2;

// Delimiters of a URL would end the path or change the host; a `%` or `\` reaches no server as it was written.
const REFUSED = /[:?#[\]@%\\]/;
// What a decoder puts for bytes it cannot read (U+FFFD): the slug is not what its owner wrote.
const REPLACED = /\ufffd/;
// Controls, half surrogate pairs, and marks that reorder or hide text (ZWJ, U+200D, stays: emoji are built with it).
const INVISIBLE =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/u;

/** One spelling per code: NFC, so that `é` typed as one or as two characters is the same link. */
export function normalizeCode(code: string): string {
  return code.normalize('NFC');
}

/**
 * The code a custom slug becomes: NFC, spaces and `/` turned to `-`. Letter case, emoji and any other
 * script stay as they are.
 * @param isPublished somewhere else: then it is taken as it is or refused, whatever it looks like
 * @throws AppError `invalid-data` (empty, too long, refused characters) or `reserved-slug`
 */
export function parseCustomSlug(slug: string, isPublished = false): string {
  const trimmed = readable(slug, 'customSlug').trim();
  if (isReservedSlug(trimmed)) throw reserved(slug);
  if (!isPublished) refuseLookAlike(trimmed, 'customSlug');
  const code = toPathSegment(trimmed, 'customSlug');
  if (isPublished && code !== trimmed)
    throw invalid(
      `"${trimmed}" has a slash or a space, which no short code here has: it would be another code.`,
      'customSlug',
    );
  if (code === '') throw invalid('The slug is empty.', 'customSlug');
  if (code.length > MAX_CODE_LENGTH) {
    throw invalid(`A slug may have at most ${MAX_CODE_LENGTH} characters.`, 'customSlug');
  }
  return code;
}

/**
 * What a generated code begins with, by the same rules.
 * @throws AppError `invalid-data`, or `reserved-slug` when every code with that beginning would be
 */
export function parsePathPrefix(prefix: string): string {
  const given = readable(prefix, 'pathPrefix').trimStart();
  const start = toPathSegment(given, 'pathPrefix');
  if (start.length > MAX_PREFIX_LENGTH) {
    throw invalid(`A prefix may have at most ${MAX_PREFIX_LENGTH} characters.`, 'pathPrefix');
  }
  if (isReservedSlug(`${start}x`)) throw reserved(prefix);
  refuseLookAlike(start, 'pathPrefix');
  return start;
}

function readable(text: string, field: string): string {
  if (REPLACED.test(text)) {
    throw invalid('The slug contains U+FFFD, which replaces bytes that are not UTF-8. Send the slug as UTF-8.', field);
  }
  if (INVISIBLE.test(text)) throw invalid('Invisible or broken characters in the slug.', field);
  return normalizeCode(text);
}

function refuseLookAlike(text: string, field: string): void {
  if (!looksLikeAnother(text)) return;
  throw invalid('Letters of this slug look like those of another alphabet: it could be taken for another slug.', field);
}

function toPathSegment(text: string, field: string): string {
  if (REFUSED.test(text)) throw invalid('A slug may not contain any of : ? # [ ] @ % \\', field);
  return dashed(text);
}

function reserved(slug: string): AppError {
  return new AppError('reserved-slug', `"${slug}" is reserved. Choose another slug.`, {
    details: { customSlug: slug },
  });
}

function invalid(message: string, field: string): AppError {
  return new AppError('invalid-data', message, { details: { invalidElements: [field] } });
}
