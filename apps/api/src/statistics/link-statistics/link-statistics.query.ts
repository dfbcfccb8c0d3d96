import { INTERVALS } from '@hopcount/contracts';
import { z } from 'zod';

import { statisticsDates } from '../../http/date-range.js';
import { linkQuery } from '../../links/link.query.js';

/** Blank is not absent: whoever sends an empty zone has a bug that a default would hide. */
const text = z.string().max(100).optional();

/** Query of GET short-urls/{code}/stats; what the texts must be is for the statistics library to say. */
export const linkStatisticsQuery = linkQuery.extend({
  ...statisticsDates,
  period: z.enum(['range', 'allTime']).default('range').meta({
    description:
      '`allTime`: all visits of the short URL, on whole days from that of the first one, however long ago. Leave out range, startDate and endDate then.',
  }),
  interval: text.meta({
    description: `${INTERVALS.join(', ')}; default day. Weeks start on Monday.`,
    example: 'day',
  }),
});

export type LinkStatisticsQuery = z.output<typeof linkStatisticsQuery>;
