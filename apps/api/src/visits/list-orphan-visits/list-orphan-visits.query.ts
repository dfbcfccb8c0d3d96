import { ORPHAN_VISIT_TYPES } from '@hopcount/contracts';
import { z } from 'zod';

import { queryText } from '../../http/input.js';
import { listVisitsQuery } from '../list-visits/list-visits.query.js';

/** Query of GET visits/orphan. */
export const listOrphanVisitsQuery = listVisitsQuery.extend({
  domain: queryText.meta({ description: 'Only of this authority; `DEFAULT` is the default domain.' }),
  type: z
    .enum(ORPHAN_VISIT_TYPES)
    .optional()
    .meta({
      description: `Only one of ${ORPHAN_VISIT_TYPES.join(', ')}. Those of links that are there are listed with their type alone: \`blocked\`, and \`held_back\` (a page that asks for a password was shown).`,
    }),
});

export type ListOrphanVisitsQuery = z.output<typeof listOrphanVisitsQuery>;
