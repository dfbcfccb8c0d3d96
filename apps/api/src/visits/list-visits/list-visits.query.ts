import { z } from 'zod';

import { inclusiveDates } from '../../http/date-range.js';
import { queryItemsPerPage, queryPage } from '../../http/input.js';
import { linkQuery } from '../../links/link.query.js';

/** What each list of visits may answer, beside what names its links. */
export const LIST_PROBLEMS = [
  'invalid-range',
  'invalid-time-zone',
  'too-many-questions',
  'archive-question-too-large',
  'archive-unreadable',
] as const;

/** Query of GET short-urls/{code}/visits, and of the other lists of visits. */
export const listVisitsQuery = linkQuery.extend({
  page: queryPage.meta({ description: 'From 1.' }),
  itemsPerPage: queryItemsPerPage.meta({ description: 'Absent or below 1: all, at most 5,000.' }),
  ...inclusiveDates(),
  excludeBots: z
    .string()
    .optional()
    // Its presence is the switch, as clients of this API use it.
    .transform((value) => value !== undefined)
    .meta({ description: 'When present, whatever its value: without bots, previews and prefetches.' }),
});

/** Query of GET domains/{domain}/visits. */
export const listDomainVisitsQuery = listVisitsQuery.omit({ domain: true });

export type ListVisitsQuery = z.output<typeof listVisitsQuery>;
export type ListDomainVisitsQuery = z.output<typeof listDomainVisitsQuery>;
