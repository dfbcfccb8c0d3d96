import { shareLinkSchema } from '@hopcount/contracts';
import { z } from 'zod';

import { isStorable, queryItemsPerPage, queryPage } from '../../http/input.js';
import { sentBack } from '../../http/sent-back.js';
import { parseFilters } from '../visits-statistics/visits-statistics.query.js';

const FILTERS_AT_MOST = 20;
/** As statistics take them, and all of them together what an address holds. */
const FILTER_LENGTH = 2_048;
const FILTERS_LENGTH = 4_000;
const NAME = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,100}$/u;
const scope = z.string().trim().min(1).max(300).refine(isStorable, 'broken characters').nullish();
const filters = z
  .array(z.string().max(FILTER_LENGTH).refine(isStorable))
  .max(FILTERS_AT_MOST)
  .refine((texts) => texts.join('').length <= FILTERS_LENGTH, `more than ${FILTERS_LENGTH} characters`)
  .superRefine((texts, context) => void parseFilters(texts, context))
  .optional();
const expiry = z.iso.datetime({ offset: true }).optional();

const view = {
  domain: scope.meta({ description: 'As statistics take it: visits of the short URLs of a domain.' }),
  tag: scope.meta({ description: 'Of those that have the tag.' }),
  group: scope.meta({ description: 'Of a group; with none of the others.' }),
  shortCode: scope.meta({ description: 'Of one short URL.' }),
  filters: filters.meta({
    description: 'Only visits with these values, as statistics take them.',
    example: ['country=DE'],
  }),
};

const newShareLink = {
  name: z
    .string()
    .trim()
    .regex(NAME, '1 to 100 visible characters')
    .meta({ description: 'For the list of them; whoever has the link does not see it.', example: 'Agency, spring' }),
  ...view,
  expirationDate: expiry.meta({
    description: 'When it ends: within a year. Needed, unless `dateExpires` is given.',
    example: '2026-12-31T23:59:59Z',
  }),
};

/** What the list answers of a share link. */
const answered = {
  view: z
    .strictObject(view)
    .optional()
    .meta({ description: 'As it is answered: counts where none of its fields is given beside it.' }),
  dateExpires: expiry.meta({ description: 'As it is answered: counts where no `expirationDate` is given.' }),
};

export const createShareLinkRequest = z
  .strictObject({ ...sentBack(shareLinkSchema, { ...newShareLink, ...answered }), ...answered, ...newShareLink })
  .transform((given, context) => {
    const isNamed = Object.keys(view).some((name) => (given as Record<string, unknown>)[name] !== undefined);
    const {
      domain = null,
      tag = null,
      group = null,
      shortCode = null,
      filters = [],
    } = isNamed ? given : (given.view ?? {});
    const expirationDate = given.expirationDate ?? given.dateExpires ?? '';
    if (expirationDate === '') {
      context.addIssue({ code: 'custom', path: ['expirationDate'], message: 'missing: say when the link ends' });
    }
    return { name: given.name, view: { domain, tag, group, shortCode, filters }, expirationDate };
  });

export const listShareLinksQuery = z.strictObject({
  page: queryPage.meta({ description: 'From 1.' }),
  itemsPerPage: queryItemsPerPage.meta({ description: 'Default and most: 100.' }),
});
