import { z } from 'zod';

import { countSchema, pageOf } from './short-url.js';
import { INTERVALS, VISIT_DIMENSIONS } from './statistics.js';
import { VISIT_CLASSES } from './visit-class.js';

const instant = (description: string) => z.string().meta({ format: 'date-time', description });
const counts = {
  visits: countSchema,
  visitors: countSchema.optional().meta({ description: 'Distinct visitors; only where they were asked for.' }),
  ips: countSchema.optional().meta({ description: 'Distinct addresses; only where they were asked for.' }),
};
const totals = z.strictObject({ ...counts, byClass: z.record(z.enum(VISIT_CLASSES), countSchema) });
const series = z.array(z.strictObject({ start: instant('With the offset of the zone at that instant.'), ...counts }));

/** Which range the answer is of. The range is half-open: [startDate, endDate). */
const ranged = {
  startDate: instant('Start of the range, with the offset of the zone.'),
  endDate: instant('First instant after the range.'),
  exact: z.boolean().meta({
    description:
      'False where neither the ledger nor the archive holds what was counted: the numbers are those of the visits that are left ' +
      '(visits without a filter are exact all the same). `inexact` says where.',
  }),
  inexact: z
    .array(z.strictObject({ startDate: z.string(), endDate: z.string() }))
    .meta({ description: 'Ranges of whole hours, at most 100; empty where `exact`.' }),
  readFrom: z.strictObject({ days: countSchema, files: countSchema, ledgerHours: countSchema }).meta({
    description:
      'How many days whose visitors are kept were used, and how many files of the archive and hours of the ledger were read. ' +
      'All 0: sums that are kept said it all.',
  }),
};

const answered = {
  timeZone: z.string().meta({ examples: ['Europe/Berlin'] }),
  ...ranged,
  countedUpTo: instant(
    'Every visit published before is in these numbers; null when Kafka cannot be asked and nothing was counted yet.',
  ).nullable(),
  pending: countSchema
    .nullable()
    .meta({ description: 'Visits published and not counted yet, of all links; null when Kafka cannot be asked.' }),
  uncounted: countSchema.meta({ description: 'Visits of the range known not to be counted, of all links.' }),
  attribution: z.string().meta({ description: 'The licence of the geography data asks for this line.' }),
};
const other = z
  .strictObject({ values: countSchema, visits: countSchema })
  .meta({ description: 'All that are not on this page, together: the page and this sum to `visits`.' });

/** Answer of GET /rest/v3/statistics/totals. */
export const visitsTotalsSchema = z
  .strictObject({ ...answered, totals, compared: z.strictObject({ ...ranged, totals }).optional() })
  .meta({ id: 'VisitsTotals' });
export type VisitsTotalsAnswer = z.infer<typeof visitsTotalsSchema>;

/** Answer of GET /rest/v3/statistics/series. */
export const visitsSeriesSchema = z
  .strictObject({
    ...answered,
    interval: z.enum(INTERVALS),
    series,
    compared: z.strictObject({ ...ranged, series }).optional(),
  })
  .meta({ id: 'VisitsSeries' });
export type VisitsSeriesAnswer = z.infer<typeof visitsSeriesSchema>;

/** Answer of GET /rest/v3/statistics/dimensions/{name}. */
export const visitsDimensionSchema = z
  .strictObject({
    ...answered,
    dimension: z.enum(VISIT_DIMENSIONS),
    visits: countSchema,
    values: pageOf(z.strictObject({ value: z.string(), ...counts })),
    other,
  })
  .meta({ id: 'VisitsDimension' });
export type VisitsDimensionAnswer = z.infer<typeof visitsDimensionSchema>;

/** Answer of GET /rest/v3/statistics/links. */
export const visitedLinksSchema = z
  .strictObject({
    ...answered,
    visits: countSchema,
    links: pageOf(
      z.strictObject({
        shortCode: z.string().nullable(),
        domain: z.string().nullable(),
        shortUrl: z.string().nullable(),
        ...counts,
      }),
    ),
    other,
  })
  .meta({ id: 'VisitedLinks' });
export type VisitedLinksAnswer = z.infer<typeof visitedLinksSchema>;
