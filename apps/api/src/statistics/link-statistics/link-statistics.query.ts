import { INTERVALS } from '@hopcount/contracts';
import { z } from 'zod';

import { linkQuery } from '../../links/link.query.js';

/** Blank is not absent: whoever sends an empty zone has a bug that a default would hide. */
const text = z.string().max(100).optional();

/** Query of GET short-urls/{code}/stats; what the texts must be is for the statistics library to say. */
export const linkStatisticsQuery = linkQuery.extend({
  startDate: text.meta({
    description: 'First instant: RFC 3339, or a date or local time in `timeZone`. Default: 30 days before the end.',
    example: '2026-11-01',
  }),
  endDate: text.meta({
    description: 'First instant after the range; a date includes its day. Default: the end of the current interval.',
    example: '2026-11-30',
  }),
  timeZone: text.meta({ description: 'IANA name; default: the reporting zone.', example: 'Europe/Berlin' }),
  interval: text.meta({
    description: `${INTERVALS.join(', ')}; default day. Weeks start on Monday.`,
    example: 'day',
  }),
});

export type LinkStatisticsQuery = z.output<typeof linkStatisticsQuery>;
