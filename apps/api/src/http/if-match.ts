import { AppError } from '@hopcount/runtime';

/**
 * The version of an `If-Match: "<version>"` header; undefined when it is absent or `*`.
 * @throws AppError `invalid-data` for anything else, so that a typing error never means "any version"
 */
export function versionFromIfMatch(header: string | undefined): string | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  const version = /^"(\d{1,18})"$/.exec(header.trim())?.[1];
  if (version !== undefined) return version;
  throw new AppError('invalid-data', 'If-Match takes one ETag as this API gave it: the version in double quotes.', {
    details: { invalidElements: ['If-Match'] },
  });
}

export function toETag(version: string): string {
  return `"${version}"`;
}
