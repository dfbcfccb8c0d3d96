import type { components } from '@hopcount/client';

import type { Scope } from '../statistics/queries.js';

export interface FedVisit {
  shortUrl?: components['schemas']['ShortUrl'];
  visit: components['schemas']['Visit'];
}

/** The topic names the code alone: other domains, the default one too, may have it as well. */
export function isOfScope({ shortUrl }: Pick<FedVisit, 'shortUrl'>, { shortCode, domain }: Scope): boolean {
  // Without a domain a code is one of the default domain, and everything else is of all domains.
  if (shortCode === undefined && domain === undefined) return true;
  return shortUrl !== undefined && (shortUrl.domain ?? undefined) === domain;
}
