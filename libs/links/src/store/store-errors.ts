import { AppError } from '@hopcount/runtime';

import type { LinkDraft } from './new-link.js';

/** @param domain null: the default one */
export function shortUrlNotFound(code: string, domain: string | null, what = 'short URL'): AppError {
  return new AppError('short-url-not-found', `There is no ${what} "${code}"${onDomain(domain)}.`, {
    details: { shortCode: code, ...(domain === null ? {} : { domain }) },
  });
}

export function nonUniqueSlug(code: string, draft: Pick<LinkDraft, 'authority' | 'isDefaultDomain'>): AppError {
  const domain = draft.isDefaultDomain ? null : draft.authority;
  return new AppError('non-unique-slug', `The slug "${code}"${onDomain(domain)} is already taken.`, {
    details: { customSlug: code, ...(domain === null ? {} : { domain }) },
  });
}

function onDomain(domain: string | null): string {
  return domain === null ? '' : ` on the domain "${domain}"`;
}
