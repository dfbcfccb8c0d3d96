import { answerOf, type components } from '@hopcount/client';

import { api } from '../../api/client.js';
import { useApi } from '../../api/use-api.js';

export type Domain = components['schemas']['DomainList']['domains']['data'][number];
export const DOMAINS = 'domains';

export function useDomains() {
  return useApi([DOMAINS], (signal) => answerOf(api.GET('/rest/v3/domains', { signal })));
}
