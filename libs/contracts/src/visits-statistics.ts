import { z } from 'zod';

import { countSchema, pageOf } from './short-url.js';
import {
  ALL_DIMENSIONS,
  CHANNELS,
  FIRST_SEEN,
  INTERVALS,
  keyRotationsSchema,
  MATRIX_DIMENSIONS,
} from './statistics.js';
import { CLASS_REASONS, VISIT_CLASSES } from './visit-class.js';

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
      '(visits without a filter are exact all the same); while sums are known to be wrong; and where visits that were looked at are not as many as were added up. `inexact` says where.' +
      ' It rests on a comparison with the visits where PostgreSQL has at most 10,000 of them; workers compare larger sums in turn, all the time.',
  }),
  inexact: z
    .array(z.strictObject({ startDate: z.string(), endDate: z.string() }))
    .meta({ description: 'At most 100 ranges; empty where `exact`.' }),
  keyRotations: keyRotationsSchema,
  readFrom: z.strictObject({ days: countSchema, files: countSchema, ledgerHours: countSchema }).meta({
    description:
      'How many days whose visitors are kept were used, and how many files of the archive and hours of the ledger were read. ' +
      'All 0: sums that are kept said it all.',
  }),
};

/** What an answer about a range says of itself. */
export const answered = {
  timeZone: z.string().meta({ examples: ['Europe/Berlin'] }),
  ...ranged,
  countedUpTo: instant(
    'Every visit published before is in these numbers; null when Kafka cannot be asked and nothing was counted yet, and of orphan visits.',
  ).nullable(),
  pending: countSchema.nullable().meta({
    description:
      'Visits published and not counted yet, of all links; null when Kafka cannot be asked, and of orphan visits.',
  }),
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
    dimension: z.enum([...ALL_DIMENSIONS, FIRST_SEEN]),
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

const sum = z.strictObject({
  visits: countSchema,
  checksum: z
    .string()
    .regex(/^\d+$/)
    .meta({ description: 'XOR of the 62 random bits of the ids of these visits, as a decimal number.' }),
});

/** Answer of GET /rest/v3/statistics/proof. */
export const visitsProofSchema = z
  .strictObject({
    ...answered,
    used: sum.meta({ description: 'The visits of the range that the filters let through.' }),
    quarterHours: z
      .strictObject({ startDate: z.string(), endDate: z.string() })
      .meta({ description: 'The whole quarter hours that hold the range.' }),
    comparedOf: z.enum(['scope', 'all']).meta({
      description:
        'Whose visits are compared: those of the scope; of a group of which a part has left the ledger, those of all short URLs.',
    }),
    rows: sum.meta({ description: 'All visits of those quarter hours, whatever the filters, as they are read now.' }),
    buckets: sum.meta({ description: 'The same, as it was added up when they were counted.' }),
    agree: z.boolean().meta({ description: '`rows` and `buckets` are equal: always where `exact`.' }),
  })
  .meta({ id: 'VisitsProof' });
export type VisitsProofAnswer = z.infer<typeof visitsProofSchema>;

const address = {
  shortCode: z.string().nullable().meta({ description: 'null: the short URL was deleted for good.' }),
  domain: z.string().nullable(),
  shortUrl: z.string().nullable(),
};

const explainedVisitSchema = z
  .strictObject({
    eventId: z.string(),
    date: instant('With milliseconds, and the offset of the zone.'),
    ...address,
    group: z.string().nullable().meta({ description: 'That it was counted in.' }),
    class: z.enum(VISIT_CLASSES),
    classReason: z
      .enum(CLASS_REASONS)
      .nullable()
      .meta({ description: 'The rule that chose the class; null: counted before it was stored.' }),
    channel: z
      .enum(CHANNELS)
      .nullable()
      .meta({ description: 'Which way it came; null: counted before it was stored.' }),
    route: z
      .string()
      .nullable()
      .meta({
        description:
          'What chose the destination: `rule:2`, `split:1`, `expired`, …; null: the long URL of the short URL.',
        examples: ['rule:2'],
      }),
    destination: z.string().nullable(),
    referrerUrl: z.string().nullable(),
    referrer: z.string(),
    userAgent: z.string().nullable(),
    country: z.string(),
    region: z.string(),
    city: z.string(),
    latitude: z.number().nullable(),
    longitude: z.number().nullable(),
    os: z.string(),
    osVersion: z.string().nullable(),
    browser: z.string(),
    browserVersion: z.string().nullable(),
    device: z.string(),
    network: z.string(),
    language: z.string(),
    utm: z.record(z.string(), z.string().nullable()).nullable(),
    truncated: z.array(z.string()).meta({ description: 'Fields that were longer than what is kept of them.' }),
    visitor: z.string().nullable().optional().meta({
      description:
        'A hash: the same for all visits of one browser until the keys rotate (HASH_KEY_ROTATIONS). Only for the scope `admin`; exports leave it out, too.',
    }),
    importedFrom: z.string().nullable(),
    source: z.string().meta({ description: 'The gateway process that it came through.' }),
    enrichmentVersion: z.int().meta({ description: 'Of the rules that found class, places, systems and browsers.' }),
  })
  .meta({ id: 'ExplainedVisit' });

/** Answer of GET /rest/v3/statistics/explain. */
export const visitsExplainedSchema = z
  .strictObject({
    ...answered,
    visits: z.array(explainedVisitSchema).meta({ description: 'Newest first.' }),
    next: z.string().nullable().meta({ description: '`before` of the next page; null: there is none.' }),
  })
  .meta({ id: 'VisitsExplained' });
export type VisitsExplainedAnswer = z.infer<typeof visitsExplainedSchema>;

const live = z.strictObject({
  visits: countSchema,
  visitors: countSchema.optional().meta({ description: 'Not of orphan visits: nobody knows whose they are.' }),
  ips: countSchema,
});

/** Answer of GET /rest/v3/statistics/live, and each event of its stream. */
export const liveVisitsSchema = z
  .strictObject({ ...answered, minutes5: live, minutes30: live })
  .meta({ id: 'LiveVisits' });
export type LiveVisitsAnswer = z.infer<typeof liveVisitsSchema>;

const matrixSide = z.strictObject({
  dimension: z.enum(MATRIX_DIMENSIONS),
  values: z.array(z.strictObject({ value: z.string(), visits: countSchema })),
  other: z
    .strictObject({ values: countSchema, visits: countSchema })
    .meta({ description: 'All values beside those, together.' }),
});

/** Answer of GET /rest/v3/statistics/matrix. */
export const visitsMatrixSchema = z
  .strictObject({
    ...answered,
    visits: countSchema,
    rows: matrixSide,
    columns: matrixSide,
    cells: z.array(z.array(countSchema)).meta({
      description:
        'Visits by row, then column, in the order of `values`; behind the last of each one more, of all others. They sum to `visits`.',
    }),
  })
  .meta({ id: 'VisitsMatrix' });
export type VisitsMatrixAnswer = z.infer<typeof visitsMatrixSchema>;
