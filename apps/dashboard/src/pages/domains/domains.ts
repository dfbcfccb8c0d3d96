import { answerOf, type components, type operations } from '@hopcount/client';

import { api } from '../../api/client.js';
import { useApi } from '../../api/use-api.js';
import { useChange } from '../../api/use-change.js';

export type Domain = components['schemas']['DomainList']['domains']['data'][number];
export type Redirects = components['schemas']['NotFoundRedirects'];

/** Where visitors of what is no link go. */
export const REDIRECTS = ['baseUrlRedirect', 'invalidShortUrlRedirect', 'regular404Redirect'] as const;
const SUBJECT = 'domains';

export function useDomains() {
  return useApi([SUBJECT], (signal) => answerOf(api.GET('/rest/v3/domains', { signal })));
}

export function useRedirectDomain() {
  return useChange(SUBJECT, (body: operations['redirectDomain']['requestBody']['content']['application/json']) =>
    answerOf(api.PATCH('/rest/v3/domains/redirects', { body })),
  );
}
