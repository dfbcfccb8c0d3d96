import { answerOf, type components, type operations } from '@hopcount/client';

import { api } from '../../api/client.js';
import { useChange } from '../../api/use-change.js';
import { DOMAINS } from '../../features/administration/domains.js';

export type Redirects = components['schemas']['NotFoundRedirects'];

/** Where visitors of what is no link go. */
export const REDIRECTS = ['baseUrlRedirect', 'invalidShortUrlRedirect', 'regular404Redirect'] as const;

export function useRedirectDomain() {
  return useChange(DOMAINS, (body: operations['redirectDomain']['requestBody']['content']['application/json']) =>
    answerOf(api.PATCH('/rest/v3/domains/redirects', { body })),
  );
}
