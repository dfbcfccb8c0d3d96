import { type OrderDirection, TAG_ORDER_FIELDS, type TagOrderField } from '@hopcount/links';
import { z } from 'zod';

import { queryFlag, queryItemsPerPage, queryPage, queryText } from '../../http/input.js';

/** Clients read all tags at once. */
export const MAX_TAGS_PER_PAGE = 50_000;

const orderBy = z
  .string()
  .regex(new RegExp(`^(${TAG_ORDER_FIELDS.join('|')})(-(ASC|DESC))?$`), 'not an order')
  .default('tag-ASC')
  .transform((text) => {
    const [field, direction] = text.split('-');
    return { field: field as TagOrderField, direction: (direction ?? 'ASC') as OrderDirection };
  });

/** Query of GET tags and GET tags/stats. */
export const listTagsQuery = z.strictObject({
  page: queryPage.meta({ description: 'From 1.' }),
  itemsPerPage: queryItemsPerPage.meta({ description: 'Default, and below 1: all, at most 50,000.' }),
  searchTerm: queryText.meta({ description: 'Part of the name.' }),
  orderBy: orderBy.meta({
    description: `\`field-ASC\` or \`field-DESC\`; field: ${TAG_ORDER_FIELDS.join(', ')}.`,
    example: 'visits-DESC',
  }),
});

/** Query of GET tags; of Shlink's older documents, too. */
export const listTagNamesQuery = listTagsQuery.extend({
  withStats: queryFlag.meta({ description: 'Ignored, as by Shlink since 3.0: ask `tags/stats`.', deprecated: true }),
});

export type ListTagsQuery = z.output<typeof listTagsQuery>;
