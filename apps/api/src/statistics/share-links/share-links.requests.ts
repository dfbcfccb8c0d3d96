import { z } from 'zod';

import { isStorable, queryItemsPerPage, queryPage } from '../../http/input.js';
import { parseFilters } from '../visits-statistics/visits-statistics.query.js';

const FILTERS_AT_MOST = 20;
/** As statistics take them, and all of them together what an address holds. */
const FILTER_LENGTH = 2_048;
const FILTERS_LENGTH = 4_000;
const NAME = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,100}$/u;
const scope = z.string().trim().min(1).max(300).refine(isStorable, 'broken characters').optional();

export const createShareLinkRequest = z.strictObject({
  name: z
    .string()
    .trim()
    .regex(NAME, '1 to 100 visible characters')
    .meta({ description: 'For the list of them; whoever has the link does not see it.', example: 'Agency, spring' }),
  domain: scope.meta({ description: 'As statistics take it: visits of the short URLs of a domain.' }),
  tag: scope.meta({ description: 'Of those that have the tag.' }),
  group: scope.meta({ description: 'Of a group; with none of the others.' }),
  shortCode: scope.meta({ description: 'Of one short URL.' }),
  filters: z
    .array(z.string().max(FILTER_LENGTH).refine(isStorable))
    .max(FILTERS_AT_MOST)
    .refine((texts) => texts.join('').length <= FILTERS_LENGTH, `more than ${FILTERS_LENGTH} characters`)
    .superRefine((texts, context) => void parseFilters(texts, context))
    .default([])
    .meta({ description: 'Only visits with these values, as statistics take them.', example: ['country=DE'] }),
  expirationDate: z.iso
    .datetime({ offset: true })
    .meta({ description: 'When it ends: within a year.', example: '2026-12-31T23:59:59Z' }),
});

export const listShareLinksQuery = z.strictObject({
  page: queryPage.meta({ description: 'From 1.' }),
  itemsPerPage: queryItemsPerPage.meta({ description: 'Default and most: 100.' }),
});
