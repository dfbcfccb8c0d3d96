import { INTERVALS } from '@hopcount/contracts';
import { z } from 'zod';

import { queryText } from '../../http/input.js';
import { linkQuery } from '../../links/link.query.js';

/** Query of GET short-urls/{code}/stats; what the texts must be is for the statistics library to say. */
export const linkStatisticsQuery = linkQuery.extend({
  startDate: queryText.meta({
    description: 'First instant: RFC 3339, or a date or local time in `timeZone`. Default: 30 days before the end.',
    example: '2026-11-01',
  }),
  endDate: queryText.meta({
    description: 'First instant after the range; a date includes its day. Default: the end of the current interval.',
    example: '2026-11-30',
  }),
  timeZone: queryText.meta({ description: 'IANA name; default: the reporting zone.', example: 'Europe/Berlin' }),
  interval: queryText.meta({
    description: `${INTERVALS.join(', ')}; default day. Weeks start on Monday.`,
    example: 'day',
  }),
});

export type LinkStatisticsInput = z.output<typeof linkStatisticsQuery>;
