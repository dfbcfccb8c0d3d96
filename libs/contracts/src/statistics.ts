import { z } from 'zod';

import { countSchema } from './short-url.js';
import { VISIT_CLASSES } from './visit-class.js';

export const INTERVALS = ['15min', 'hour', 'day', 'week', 'month', 'quarter', 'year'] as const;
export type Interval = (typeof INTERVALS)[number];

/** Ranges that a word names: whole days of a zone, the API, the CLI and the dashboard take the same ones. */
export const RANGE_PRESETS = [
  ...(['today', 'yesterday', 'last7days', 'last30days', 'last90days', 'last365days'] as const),
  ...(['thisWeek', 'lastWeek', 'thisMonth', 'lastMonth', 'thisYear', 'lastYear'] as const),
  ...(['weekToDate', 'monthToDate', 'yearToDate'] as const),
] as const;
export type RangePreset = (typeof RANGE_PRESETS)[number];

/** The dimensions kept for every visit, in the order they are answered. */
export const DIMENSIONS = [
  'country',
  'region',
  'city',
  'os',
  'browser',
  'device',
  'network',
  'referrer',
  'language',
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** All that visits can be told apart by: the nine, and what is kept of each visit beside them. */
export const VISIT_DIMENSIONS = [
  ...DIMENSIONS,
  ...(['osVersion', 'browserVersion', 'referrerUrl', 'destination', 'route', 'importedFrom'] as const),
  ...(['utmSource', 'utmMedium', 'utmCampaign', 'utmTerm', 'utmContent', 'domain', 'group', 'class'] as const),
  ...(['channel', 'classReason', 'ip'] as const),
] as const;
export type VisitDimension = (typeof VISIT_DIMENSIONS)[number];
/**
 * What is no property of a visit but of those that are counted together: `new`, the first of its visitor among them;
 * `returning`; UNKNOWN where nobody can be told apart. Neither a filter nor a side of a matrix.
 */
export const FIRST_SEEN = 'firstSeen';
/** All that orphan visits can be told apart by: what they share with visits, why there was no short URL, and the path that was asked for. */
export const ORPHAN_DIMENSIONS = [
  ...(['country', 'region', 'city', 'referrerUrl', 'domain', 'class'] as const satisfies VisitDimension[]),
  ...(['type', 'path'] as const),
] as const;
export type OrphanDimension = (typeof ORPHAN_DIMENSIONS)[number];
/** The names of both. */
export const ALL_DIMENSIONS = [...new Set([...VISIT_DIMENSIONS, ...ORPHAN_DIMENSIONS])];
/** What a matrix may have on a side beside them: the hour (00 to 23) and the day of the week (1 to 7, from Monday) of the zone. */
export const TIME_DIMENSIONS = ['hour', 'weekday'] as const;
export type TimeDimension = (typeof TIME_DIMENSIONS)[number];
export const MATRIX_DIMENSIONS = [...TIME_DIMENSIONS, ...VISIT_DIMENSIONS] as const;
export type MatrixDimension = (typeof MATRIX_DIMENSIONS)[number];
/** Those whose values are addresses, which may be asked for by how they begin. */
export const URL_DIMENSIONS: readonly (VisitDimension | OrphanDimension)[] = ['referrerUrl', 'destination', 'path'];

/** Stands for a value nobody could find out; so the values of a dimension always sum to the visits. */
export const UNKNOWN = 'unknown';
/** Which way a visit came; UNKNOWN of those from before it was found out. */
export const CHANNELS = ['direct', 'search', 'social', 'mail', 'paid', 'internal', 'other'] as const;
export type Channel = (typeof CHANNELS)[number];
/** Referrer of a visit that names none. */
export const DIRECT = 'direct';

const instant = (description: string) => z.string().meta({ format: 'date-time', description });
/** Of every answer about a range; the first ones. */
export const KEY_ROTATIONS_SAID = 100;
export const keyRotationsSchema = z.array(z.string().meta({ format: 'date-time' })).meta({
  description:
    'When in this range the keys of the hashes of visitors and addresses changed (HASH_KEY_ROTATIONS), at most 100. Whoever ' +
    'came both before and after one of them is counted on each side: in `visitors`, in `ips`, and as `new` of `firstSeen`. ' +
    'Empty: distinct over all of the range.',
});
const uniques = { visits: countSchema, visitors: countSchema, ips: countSchema };

/** Answer of GET /rest/v3/short-urls/{code}/stats. The range is half-open: [startDate, endDate). */
export const linkStatisticsSchema = z
  .strictObject({
    shortCode: z.string(),
    domain: z.string().nullable(),
    timeZone: z.string().meta({ examples: ['Europe/Berlin'] }),
    startDate: instant('Start of the range, with the offset of the zone.'),
    endDate: instant('First instant after the range.'),
    interval: z.enum(INTERVALS),
    countedUpTo: instant(
      'Every visit published before is in these numbers; null when Kafka cannot be asked and nothing was counted yet.',
    ).nullable(),
    pending: countSchema
      .nullable()
      .meta({ description: 'Visits published and not counted yet, of all links; null when Kafka cannot be asked.' }),
    uncounted: countSchema.meta({
      description:
        'Visits of this range known not to be counted, of all links, in whole minutes: answered while neither Kafka nor ' +
        'the disk took them, put into a dead letter, or reported by a gateway and never arrived. 0 in normal running.',
    }),
    exact: z.boolean().meta({
      description:
        'False where neither the ledger nor the archive holds what was counted: visits of whole quarter hours are exact all ' +
        'the same; visitors, IPs and dimensions are those of the visits that are left; while sums are known to be wrong; and where these are not as many as were added up. `inexact` says where.',
    }),
    inexact: z
      .array(z.strictObject({ startDate: z.string(), endDate: z.string() }))
      .meta({ description: 'At most 100 ranges; empty where `exact`.' }),
    keyRotations: keyRotationsSchema,
    totals: z.strictObject({ ...uniques, byClass: z.record(z.enum(VISIT_CLASSES), countSchema) }),
    series: z.array(
      z.strictObject({
        start: instant('With the offset at that instant: the two 02:00 of a 25-hour day differ.'),
        ...uniques,
      }),
    ),
    dimensions: z.record(z.enum(DIMENSIONS), z.array(z.strictObject({ value: z.string(), visits: countSchema }))),
    readFrom: z
      .strictObject({ archivedVisits: countSchema, hourFolds: countSchema, ledgerVisits: countSchema })
      .meta({ description: 'Which visits were read from where; the sums are the same whatever the split.' }),
    attribution: z.string().meta({ description: 'The licence of the geography data asks for this line.' }),
  })
  .meta({ id: 'LinkStatistics' });

export type LinkStatistics = z.infer<typeof linkStatisticsSchema>;

export const GEO_ATTRIBUTION =
  'IP geolocation by DB-IP (https://db-ip.com), networks by Route Views (https://www.routeviews.org), DB-IP and NRO (https://www.nro.net), CC BY 4.0';
