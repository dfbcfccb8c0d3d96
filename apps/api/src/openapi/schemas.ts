import {
  type DeletedVisits,
  DIMENSIONS,
  INTERVALS,
  type LinkStatistics,
  ORPHAN_VISIT_TYPES,
  type OrphanVisit,
  type Page,
  type Problem,
  type ShortUrl,
  type Visit,
  VISIT_CLASSES,
  type VisitsOverview,
} from '@hopcount/contracts';
import { z } from 'zod';

/**
 * The answers of this API as schemas: the source of the OpenAPI document, and what the integration
 * tests hold real answers against. `satisfies` keeps them equal to the types in contracts.
 */
const count = z.int().nonnegative();
const instant = (description: string) => z.string().meta({ description, format: 'date-time' });

const visitsSummary = z.strictObject({ total: count, nonBots: count, bots: count });

export const shortUrlSchema = z.strictObject({
  shortUrl: z.string().meta({ description: 'What visitors open.' }),
  shortCode: z.string(),
  longUrl: z.string(),
  dateCreated: instant('Whole seconds, `+00:00`.'),
  tags: z.array(z.string()),
  meta: z.strictObject({
    validSince: z.string().nullable(),
    validUntil: z.string().nullable(),
    maxVisits: count.nullable(),
  }),
  domain: z.string().nullable().meta({ description: 'null on the default domain.' }),
  title: z.string().nullable(),
  crawlable: z.boolean(),
  forwardQuery: z.boolean(),
  visitsSummary: visitsSummary.meta({ description: 'All-time visits, from the slotted counters.' }),
  hasRedirectRules: z.boolean(),
  id: z.string().meta({ description: 'Immutable; a snowflake as decimal text.' }),
  groupId: z.string().nullable(),
}) satisfies z.ZodType<ShortUrl>;

export const visitSchema = z.strictObject({
  referer: z.string(),
  date: instant('Whole seconds, `+00:00`.'),
  userAgent: z.string(),
  visitLocation: z
    .strictObject({
      countryCode: z.string(),
      countryName: z.string(),
      regionName: z.string(),
      cityName: z.string(),
      latitude: z.number(),
      longitude: z.number(),
      timezone: z.string(),
      isEmpty: z.boolean(),
    })
    .nullable(),
  potentialBot: z.boolean(),
  visitedUrl: z.string().nullable(),
  redirectUrl: z.string().nullable(),
  eventId: z.string().meta({ description: 'UUIDv7; also the `x-visit-id` header of the redirect.' }),
}) satisfies z.ZodType<Visit>;

const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    data: z.array(item),
    pagination: z.strictObject({
      currentPage: count,
      pagesCount: count,
      itemsPerPage: count,
      itemsInCurrentPage: count,
      totalItems: count,
    }),
  });

export const shortUrlListSchema = z.strictObject({ shortUrls: pageOf(shortUrlSchema) }) satisfies z.ZodType<{
  shortUrls: Page<ShortUrl>;
}>;

export const visitListSchema = z.strictObject({ visits: pageOf(visitSchema) }) satisfies z.ZodType<{
  visits: Page<Visit>;
}>;

export const orphanVisitSchema = visitSchema.extend({
  visitedUrl: z.string().meta({ description: 'As asked for, without the query string, which is not kept.' }),
  type: z.enum(ORPHAN_VISIT_TYPES),
  eventId: z.string().meta({ description: 'UUIDv7.' }),
}) satisfies z.ZodType<OrphanVisit>;

export const orphanVisitListSchema = z.strictObject({ visits: pageOf(orphanVisitSchema) }) satisfies z.ZodType<{
  visits: Page<OrphanVisit>;
}>;

export const visitsOverviewSchema = z.strictObject({
  visits: z.strictObject({ nonOrphanVisits: visitsSummary, orphanVisits: visitsSummary }),
}) satisfies z.ZodType<VisitsOverview>;

export const deletedVisitsSchema = z.strictObject({ deletedVisits: count }) satisfies z.ZodType<DeletedVisits>;

const uniques = { visits: count, visitors: count, ips: count };

export const linkStatisticsSchema = z.strictObject({
  shortCode: z.string(),
  domain: z.string().nullable(),
  timeZone: z.string(),
  startDate: instant('Start of the range, with the offset of the zone.'),
  endDate: instant('First instant after the range.'),
  interval: z.enum(INTERVALS),
  countedUpTo: instant('Every visit published before is in these numbers; null when unknown.').nullable(),
  pending: count.nullable().meta({ description: 'Visits published and not counted yet, of all links; null: unknown.' }),
  uncounted: count.meta({
    description:
      'Visits of this range known not to be counted, of all links, in whole minutes: answered while neither Kafka nor ' +
      'the disk took them, put into a dead letter, or reported by a gateway and never arrived. 0 in normal running.',
  }),
  totals: z.strictObject({ ...uniques, byClass: z.record(z.enum(VISIT_CLASSES), count) }),
  series: z.array(z.strictObject({ start: instant('With the offset at that instant.'), ...uniques })),
  dimensions: z.record(z.enum(DIMENSIONS), z.array(z.strictObject({ value: z.string(), visits: count }))),
  readFrom: z.strictObject({ dayFolds: count, hourFolds: count, ledgerVisits: count }),
  attribution: z.string(),
}) satisfies z.ZodType<LinkStatistics>;

export const problemSchema = z.looseObject({
  type: z.string().meta({ description: 'Stable URI of the kind of problem.' }),
  title: z.string(),
  detail: z.string(),
  status: z.int(),
  instance: z.string().optional().meta({ description: 'The request id, as in the `x-request-id` header.' }),
}) satisfies z.ZodType<Problem>;

export const healthSchema = z.strictObject({
  status: z.enum(['pass', 'fail']),
  version: z.string(),
  links: z.strictObject({ about: z.string(), project: z.string() }),
});

/** By the name they have in the document. */
export const SCHEMAS = {
  ShortUrl: shortUrlSchema,
  ShortUrlList: shortUrlListSchema,
  VisitList: visitListSchema,
  OrphanVisitList: orphanVisitListSchema,
  VisitsOverview: visitsOverviewSchema,
  DeletedVisits: deletedVisitsSchema,
  LinkStatistics: linkStatisticsSchema,
  Problem: problemSchema,
  Health: healthSchema,
} as const;

export type SchemaName = keyof typeof SCHEMAS;
