import { AppError } from '@hopcount/runtime';

import { isReservedSlug } from './reserved-slugs.js';

/** In UTF-16 code units, as in the visit event. */
export const MAX_CODE_LENGTH = 256;

// Delimiters of a URL would end the path or change the host; a `%` or `\` reaches no server as it was written.
const REFUSED = /[:?#[\]@%\\]/;
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
 * @throws AppError `invalid-data` (empty, too long, refused characters) or `reserved-slug`
 */
export function parseCustomSlug(slug: string): string {
  if (INVISIBLE.test(slug)) throw invalid('Invisible or broken characters in the slug.');
  const trimmed = normalizeCode(slug).trim();
  if (isReservedSlug(trimmed)) {
    throw new AppError('reserved-slug', `"${slug}" is reserved. Choose another slug.`, {
      details: { customSlug: slug },
    });
  }
  if (REFUSED.test(trimmed)) throw invalid('A slug may not contain any of : ? # [ ] @ % \\');
  const code = trimmed.replace(/[\s/]/gu, '-');
  if (code === '') throw invalid('The slug is empty.');
  if (code.length > MAX_CODE_LENGTH) throw invalid(`A slug may have at most ${MAX_CODE_LENGTH} characters.`);
  return code;
}

function invalid(message: string): AppError {
  return new AppError('invalid-data', message, { details: { invalidElements: ['customSlug'] } });
}
