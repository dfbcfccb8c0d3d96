import {
  ALL_DIMENSIONS,
  INTERVALS,
  isEventId,
  MATRIX_DIMENSIONS,
  URL_DIMENSIONS,
  VISIT_CLASSES,
  ORPHAN_DIMENSIONS,
  ORPHAN_VISIT_TYPES,
  TIME_DIMENSIONS,
  type TimeDimension,
  VISIT_DIMENSIONS,
} from '@hopcount/contracts';
import type { VisitFilter } from '@hopcount/statistics';
import { z } from 'zod';

import { statisticsDates } from '../../http/date-range.js';
import { queryBom, queryFlag, queryItemsPerPage, queryList, queryPage, queryText } from '../../http/input.js';
import { FORMATS, ROWS_AT_MOST } from '../statistics-answer.js';
import { VISITED_HOSTS } from './host-filter.js';
import { LINK_FILTER } from './link-filter.js';

const MAX_VALUES = 200;
const MAX_VALUE_LENGTH = 2_048;
const FILTER = /^(\w+)(!?\^?=)([^]*)$/;
const VISITS_AND_LINKS = [...ALL_DIMENSIONS, LINK_FILTER] as const;
const VISITS_AND_TIME = [...VISITS_AND_LINKS, ...TIME_DIMENSIONS] as const;

/** Blank is not absent: whoever sends an empty zone has a bug that a default would hide. */
const text = z.string().max(100).optional();
const filterTexts = z.array(z.string().max(MAX_VALUE_LENGTH)).max(MAX_VALUES);
const filters = queryList.pipe(
  filterTexts.transform((texts, context) => parseFiltersOf(VISITS_AND_LINKS, texts, context)),
);

/** Whose visits. */
const scope = {
  domain: queryText.meta({
    description: 'Visits of the short URLs of a domain; `DEFAULT` for the default one.',
    example: 's.example.com',
  }),
  tag: queryText.meta({ description: 'Of those that have the tag now.', example: 'launch' }),
  group: queryText.meta({
    description: 'Visits that were counted in the group; with none of the others.',
    example: 'team-a',
  }),
  shortCode: queryText.meta({
    description: 'Of one short URL; `domain` says which where several have the code.',
    example: 'my-slug',
  }),
  host: queryText.meta({
    description:
      'Of those, visits with this host or one below it; `*.example.com`: with one below it. What `hostKind` says it is of them.',
    example: 'example.com',
  }),
  hostKind: z.enum(VISITED_HOSTS).optional().meta({
    description:
      '`target` (unless named), the host visits were sent to; `referrer`, the one they came from; `short`, the one that was asked.',
  }),
};

/** Where orphan visits can be asked for. */
const orphans = {
  orphans: queryFlag.meta({
    description:
      'Requests that named no short URL instead of visits: all that are kept, or those of `domain`. They have no visitors, and the dimensions ' +
      `${ORPHAN_DIMENSIONS.join(', ')}; those of short URLs that are there (\`blocked\`, \`held_back\`) are counted where a filter names their \`type\`.`,
    example: 'true',
  }),
};

/** What every question takes: whose visits, which of them, of which time. */
const question = {
  ...scope,
  filter: filters.meta({
    description:
      'Only visits with a value: `country=DE`; without it: `browser!=Chrome`; addresses that begin with a text: ' +
      '`referrerUrl^=https://example.org/`, or do not: `referrerUrl!^=…`. Several with the same name: any of them, and none ' +
      `of those with a \`!\`; of several names all have to hold. A value is "" where a visit has none. ip: where VISITOR_IP is full; ${LINK_FILTER}: of \`domain\`, or \`s.example.com/sale\`. Names: ${[...VISIT_DIMENSIONS, LINK_FILTER].join(', ')}.`,
    example: ['country=DE'],
  }),
  ...statisticsDates,
};

const compare = z.enum(['previous', 'year']).optional().meta({
  description: 'Also of the range as long before this one, or of the same dates a year earlier.',
});
const ASKED_UNIQUES = ['none', 'visitors', 'all'] as const;
const uniques = (fallback: (typeof ASKED_UNIQUES)[number]) =>
  z
    .enum(ASKED_UNIQUES)
    .default(fallback)
    .meta({
      description: `Distinct visitors, or visitors and IPs, too; default ${fallback}. The fewer, the faster.`,
    });

const page = {
  page: queryPage.meta({ description: 'From 1.' }),
  itemsPerPage: queryItemsPerPage.meta({
    description: `Default 100, at most 1,000; of files without visitors ${ROWS_AT_MOST.toLocaleString('en-US')}.`,
  }),
};

const format = z
  .enum(FORMATS)
  .optional()
  .meta({
    description:
      'csv: with a row of names, and text that a spreadsheet would run as a formula behind an apostrophe; jsonl: an object a line; parquet. Rows ' +
      'only; what an answer says of itself is in the header `x-statistics` (and in the Parquet file, under the key `hopcount`). Default: what ' +
      '`Accept` names (text/csv, application/x-ndjson, application/vnd.apache.parquet), else json.',
  });

/** Rows as a file. */
const file = { format, bom: queryBom };

export const totalsQuery = z.strictObject({ ...question, ...orphans, uniques: uniques('all'), compare, ...file });
export const seriesQuery = z.strictObject({
  ...question,
  ...orphans,
  interval: text.meta({ description: `${INTERVALS.join(', ')}; default day. Weeks start on Monday.`, example: 'day' }),
  uniques: uniques('all'),
  compare,
  ...file,
});
export const dimensionQuery = z.strictObject({
  ...question,
  ...orphans,
  ...file,
  uniques: uniques('none'),
  orderBy: orderBy(['visits', 'value']),
  ...page,
});
export const visitedLinksQuery = z.strictObject({
  ...question,
  ...file,
  uniques: uniques('none'),
  orderBy: orderBy(['visits']),
  ...page,
});

/** Of what stands behind a number, also behind one of a matrix by hour or day of the week. */
const evidence = {
  ...question,
  filter: queryList
    .pipe(filterTexts.transform((texts, context) => parseFiltersOf(VISITS_AND_TIME, texts, context)))
    .meta({
      description: `As of other questions, and \`hour=13\` (00 to 23) or \`weekday=1\` (1 to 7, from Monday) of the zone, over at most 10,000 hours. Names: ${[...VISIT_DIMENSIONS, LINK_FILTER, ...TIME_DIMENSIONS].join(', ')}.`,
      example: ['weekday=1', 'hour=13'],
    }),
};
export const proofQuery = z.strictObject(evidence);
export const liveVisitsQuery = z.strictObject({ ...scope, ...orphans, filter: question.filter });
const limit = (most: 100 | 1000, fallback: string) =>
  z
    .string()
    .regex(most === 100 ? /^([1-9]\d?|100)$/ : /^([1-9]\d{0,2}|1000)$/, `not a number from 1 to ${most}`)
    .default(fallback)
    .transform(Number);
export const matrixQuery = z.strictObject({
  ...question,
  rows: z.enum(MATRIX_DIMENSIONS).meta({ example: 'hour' }),
  columns: z.enum(MATRIX_DIMENSIONS).meta({ example: 'weekday' }),
  rowLimit: limit(100, '20').meta({
    description:
      'Rows with the most visits that are shown; all others are one. Default 20, at most 100; hours and days of the week are all there.',
  }),
  columnLimit: limit(100, '20').meta({ description: 'The same of columns.' }),
  ...file,
});
export const explainQuery = z.strictObject({
  ...evidence,
  before: z
    .string()
    .refine(isEventId, 'not the id of a visit')
    .optional()
    .meta({ description: '`next` of the page before: goes on behind it.' }),
  itemsPerPage: limit(1000, '100').meta({ description: 'Default 100, at most 1,000.' }),
});

export type TotalsQuery = z.output<typeof totalsQuery>;
export type SeriesQuery = z.output<typeof seriesQuery>;
export type DimensionQuery = z.output<typeof dimensionQuery>;
export type VisitedLinksQuery = z.output<typeof visitedLinksQuery>;
export type ProofQuery = z.output<typeof proofQuery>;
export type LiveVisitsQuery = z.output<typeof liveVisitsQuery>;
export type MatrixQuery = z.output<typeof matrixQuery>;
export type ExplainQuery = z.output<typeof explainQuery>;
export type ScopeOfQuestion = Omit<Pick<ProofQuery, keyof typeof scope>, 'host' | 'hostKind'> &
  Partial<Pick<ProofQuery, 'host' | 'hostKind'>> & { filter: readonly AskedFilter[]; orphans?: boolean };
/** What all of them have; what is not asked for is undefined. */
export type Question = Omit<ProofQuery, 'filter'> & {
  filter: AskedFilter[];
  orphans?: boolean;
  uniques?: TotalsQuery['uniques'];
  interval?: string | undefined;
};

function orderBy<Field extends 'visits' | 'value'>(fields: readonly Field[]) {
  return z
    .string()
    .regex(new RegExp(`^(${fields.join('|')})(-(ASC|DESC))?$`), `not an order: ${fields.join(' or ')}, -ASC or -DESC`)
    .default('visits-DESC')
    .transform((order) => {
      const [field, direction] = order.split('-');
      return {
        order: field as Field,
        isAscending: direction === 'ASC' || (direction === undefined && field === 'value'),
      };
    })
    .meta({ description: `\`field-ASC\` or \`field-DESC\`; field: ${fields.join(', ')}.`, example: 'visits-DESC' });
}

/** Of texts that were checked before. */
export function toFilters(texts: readonly string[]): VisitFilter[] {
  return z.array(z.string()).transform(parseFilters).parse(texts);
}

export function parseFilters(texts: readonly string[], context: z.RefinementCtx): VisitFilter[] {
  return parseFiltersOf(ALL_DIMENSIONS, texts, context);
}

type Parsed<Name> = Record<'values' | 'prefixes', string[]> & { dimension: Name; isExcluded: boolean };
/** A filter of a question that may ask for short URLs, times of the day and days of the week. */
export type AskedFilter = Omit<VisitFilter, 'dimension'> & {
  dimension: VisitFilter['dimension'] | TimeDimension | typeof LINK_FILTER;
};

function parseFiltersOf<Name extends AskedFilter['dimension']>(
  names: readonly Name[],
  texts: readonly string[],
  context: z.RefinementCtx,
): Parsed<Name>[] {
  const found = new Map<string, Parsed<Name>>();
  for (const [index, given] of texts.entries()) {
    const [, name, sign, value = ''] = FILTER.exec(given) ?? [];
    const dimension = names.find((known) => known === name);
    const refuse = (message: string) => context.addIssue({ code: 'custom', message, path: [index], input: given });
    if (dimension === undefined || sign === undefined) {
      refuse(`not a filter: a name (${names.join(', ')}), =, !=, ^= or !^=, and a value`);
      continue;
    }
    const isPrefix = sign.includes('^');
    if (isPrefix && !URL_DIMENSIONS.some((known) => known === dimension))
      refuse(`^= is for ${URL_DIMENSIONS.join(', ')}`);
    if (dimension === 'class' && !(VISIT_CLASSES as readonly string[]).includes(value)) {
      refuse(`not a class: ${VISIT_CLASSES.join(', ')}`);
    }
    if (dimension === 'type' && !(ORPHAN_VISIT_TYPES as readonly string[]).includes(value)) {
      refuse(`not a type: ${ORPHAN_VISIT_TYPES.join(', ')}`);
    }
    if (dimension === 'hour' && !/^([01]\d|2[0-3])$/.test(value)) refuse('not an hour: 00 to 23');
    if (dimension === 'weekday' && !/^[1-7]$/.test(value)) refuse('not a day of the week: 1 (Monday) to 7');
    const isExcluded = sign.startsWith('!');
    const key = `${dimension} ${String(isExcluded)}`;
    const filter = found.get(key) ?? { dimension, values: [], prefixes: [], isExcluded };
    filter[isPrefix ? 'prefixes' : 'values'].push(value);
    found.set(key, filter);
  }
  return [...found.values()];
}
