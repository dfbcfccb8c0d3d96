import { LINK_ORDER_FIELDS, LINK_STATES, type LinkOrderField, type OrderDirection } from '@hopcount/links';
import { z } from 'zod';

import { inclusiveDates } from '../../http/date-range.js';
import { queryFlag, queryItemsPerPage, queryList, queryPage, queryText } from '../../http/input.js';

const orderBy = z
  .string()
  .regex(new RegExp(`^(${LINK_ORDER_FIELDS.join('|')})(-(ASC|DESC))?$`), 'not an order')
  .default('dateCreated-DESC')
  .transform((text) => {
    const [field, direction] = text.split('-');
    return { field: field as LinkOrderField, direction: (direction ?? 'ASC') as OrderDirection };
  });

/** Query of GET short-urls. */
export const listLinksQuery = z.strictObject({
  page: queryPage.meta({ description: 'From 1.' }),
  itemsPerPage: queryItemsPerPage.meta({ description: 'Default 10; below 1: all, at most 5,000.' }),
  searchTerm: queryText.meta({
    description: `Part of the long URL, code, title, domain or a tag. One or two characters: of the order's first links.`,
  }),
  tags: queryList.meta({ description: 'Links with these tags; written `tags[]=a&tags[]=b`.' }),
  tagsMode: z
    .enum(['any', 'all'])
    .default('any')
    .meta({ description: 'One of the tags is enough, or all are needed.' }),
  excludeTags: queryList.meta({ description: 'Links without these tags; written `excludeTags[]=a&excludeTags[]=b`.' }),
  excludeTagsMode: z
    .enum(['any', 'all'])
    .default('any')
    .meta({ description: 'Without links that have one of those tags, or all of them.' }),
  apiKeyName: queryText.meta({ description: 'Created with the API key of that name.' }),
  group: queryText.meta({ description: 'Of the group with this id.', example: 'team-a' }),
  state: z
    .enum(LINK_STATES)
    .optional()
    .meta({
      description:
        'Whether visitors get on, and the first reason why not: `disabled`, `not-yet-valid`, `expired` (validUntil), `limit-reached` (maxVisits). ' +
        'Those in the recycle bin are in a list of their own.',
    }),
  excludeMaxVisitsReached: queryFlag.meta({ description: 'Without links that had as many visits as they may have.' }),
  excludePastValidUntil: queryFlag.meta({ description: 'Without links that have ended.' }),
  orderBy: orderBy.meta({
    description: `\`field-ASC\` or \`field-DESC\`; field: ${LINK_ORDER_FIELDS.join(', ')}.`,
    example: 'visits-DESC',
  }),
  ...inclusiveDates('Created at or after', 'Created up to and including'),
  domain: queryText.meta({ description: 'Links of this domain; `DEFAULT` is the default one.' }),
});

export type ListLinksQuery = z.output<typeof listLinksQuery>;

/** Of a list of short URLs; lists of visits answer all when nothing is asked for. */
export const DEFAULT_ITEMS_PER_PAGE = 10;
