import { answerOf, type components } from '@hopcount/client';

import { api } from '../../api/client.js';
import { useApi } from '../../api/use-api.js';

export type Group = components['schemas']['Group'];
export const GROUPS = 'groups';

/** All that whoever asks sees; there are 500 at most. */
export function useGroups() {
  return useApi([GROUPS], (signal) => answerOf(api.GET('/rest/v3/groups', { signal })));
}
