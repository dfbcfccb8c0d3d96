import { z } from 'zod';

import { queryText } from '../../http/input.js';

/** Query of GET live; what cannot send headers puts theirs here. */
export const followVisitsQuery = z.strictObject({
  topic: z.string().meta({
    description:
      '`https://shlink.io/new-visit`, `https://shlink.io/new-visit/{shortCode}` or `https://shlink.io/new-orphan-visit`; several times for several.',
  }),
  authorization: queryText.meta({ description: 'The token, unless it is sent as `Authorization: Bearer`.' }),
  lastEventId: queryText.meta({ description: 'As the header `Last-Event-ID`.' }),
  lastEventID: queryText.meta({ description: 'The same, as Mercure writes it.' }),
});

export type FollowVisitsQuery = z.output<typeof followVisitsQuery>;
