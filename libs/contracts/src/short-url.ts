import { z } from 'zod';

import { ORPHAN_VISIT_TYPES } from './orphan-visit.js';
import { problemSchema } from './problems.js';
import type { ClassReason, VisitClass } from './visit-class.js';

/*
 * Answers in the shapes of Shlink's REST v3, by our own code (see shlink's published API). Each schema is
 * the type of the code that answers, what tests hold real answers against, and the OpenAPI document.
 */
export const countSchema = z.int().nonnegative();
/** RFC 3339 in whole seconds with `+00:00`, as Shlink's clients compare it. */
const instant = z.string().meta({ format: 'date-time', description: 'Whole seconds, `+00:00`.' });

export const visitsSummarySchema = z
  .strictObject({ total: countSchema, nonBots: countSchema, bots: countSchema })
  .meta({ id: 'VisitsSummary', examples: [{ total: 12, nonBots: 10, bots: 2 }] });

export const shortUrlSchema = z
  .strictObject({
    shortUrl: z.string().meta({ description: 'What visitors open.', examples: ['http://localhost:8080/7xKqPzR'] }),
    shortCode: z.string().meta({ examples: ['7xKqPzR'] }),
    longUrl: z.string().meta({ examples: ['https://example.com/a?b=c'] }),
    dateCreated: instant,
    tags: z.array(z.string()).meta({ examples: [['docs', 'spring-sale']] }),
    meta: z.strictObject({
      validSince: instant.nullable(),
      validUntil: instant.nullable(),
      maxVisits: countSchema.nullable(),
    }),
    domain: z.string().nullable().meta({ description: 'null on the default domain.' }),
    title: z.string().nullable(),
    crawlable: z.boolean(),
    forwardQuery: z.boolean(),
    visitsSummary: visitsSummarySchema.meta({ description: 'All-time visits, from the slotted counters.' }),
    hasRedirectRules: z.boolean(),
    warn: z.boolean().meta({ description: 'Whether visitors are shown where the link leads first.' }),
    hasPassword: z
      .boolean()
      .meta({ description: 'Whether visitors are asked for a password, which is never answered.' }),
    id: z.string().meta({ description: 'Immutable; a snowflake as decimal text.', examples: ['249856225617469440'] }),
    groupId: z
      .string()
      .nullable()
      .meta({ examples: ['marketing'] }),
    disabled: z.boolean(),
    expiredUrl: z.string().nullable(),
    extraPath: z.enum(['append', 'ignore']).nullable(),
    redirectStatus: z.literal([301, 302, 307, 308]),
    note: z.string().nullable().meta({ description: 'For those who manage links; no visitor sees it.' }),
  })
  .meta({ id: 'ShortUrl' });

/** One in the recycle bin. */
export const deletedShortUrlSchema = shortUrlSchema.extend({ dateDeleted: instant }).meta({ id: 'DeletedShortUrl' });

/** Of the links of a batch, in their order. */
export const shortUrlBatchSchema = z
  .strictObject({
    created: countSchema.meta({ description: 'How many of the links are new.' }),
    results: z.array(
      z.union([
        z.strictObject({ shortUrl: shortUrlSchema, isNew: z.boolean().meta({ description: 'false: findIfExists.' }) }),
        z.strictObject({ problem: problemSchema.meta({ description: 'Why this link was not created.' }) }),
      ]),
    ),
  })
  .meta({ id: 'ShortUrlBatch' });

const visitLocationSchema = z
  .strictObject({
    countryCode: z.string().meta({ examples: ['DE'] }),
    countryName: z.string().meta({ examples: ['Germany'] }),
    regionName: z.string(),
    cityName: z.string(),
    latitude: z.number(),
    longitude: z.number(),
    timezone: z.string(),
    isEmpty: z.boolean(),
  })
  .meta({ id: 'VisitLocation' });

export const visitSchema = z
  .strictObject({
    referer: z.string(),
    date: instant,
    userAgent: z.string(),
    visitLocation: visitLocationSchema.nullable(),
    potentialBot: z.boolean(),
    visitedUrl: z.string().nullable(),
    redirectUrl: z.string().nullable().meta({ description: 'null for the tracking pixel.' }),
    eventId: z.uuidv7().meta({ description: 'Also the `x-visit-id` header of the redirect.' }),
    importedFrom: z.string().optional().meta({ description: 'Of imported visits: the installation that counted it.' }),
  })
  .meta({ id: 'Visit' });

/** A request without a link. */
export const orphanVisitSchema = visitSchema
  .omit({ importedFrom: true })
  .extend({
    visitedUrl: z.string().meta({ description: 'As asked for, without the query string, which is not kept.' }),
    type: z.enum(ORPHAN_VISIT_TYPES),
    eventId: z.uuidv7(),
  })
  .meta({ id: 'OrphanVisit' });

const paginationSchema = z
  .strictObject({
    currentPage: countSchema,
    pagesCount: countSchema,
    itemsPerPage: countSchema,
    itemsInCurrentPage: countSchema,
    totalItems: countSchema,
    totalItemsIsLowerBound: z.literal(true).optional().meta({ description: 'A broad search: more items may match.' }),
  })
  .meta({ id: 'Pagination' });

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({ data: z.array(item), pagination: paginationSchema });

export const shortUrlListSchema = z.strictObject({ shortUrls: pageOf(shortUrlSchema) }).meta({ id: 'ShortUrlList' });
export const deletedShortUrlListSchema = z
  .strictObject({ shortUrls: pageOf(deletedShortUrlSchema) })
  .meta({ id: 'DeletedShortUrlList' });
export const visitListSchema = z.strictObject({ visits: pageOf(visitSchema) }).meta({ id: 'VisitList' });
export const orphanVisitListSchema = z
  .strictObject({ visits: pageOf(orphanVisitSchema) })
  .meta({ id: 'OrphanVisitList' });

/** All visits there are. */
export const visitsOverviewSchema = z
  .strictObject({
    visits: z.strictObject({ nonOrphanVisits: visitsSummarySchema, orphanVisits: visitsSummarySchema }),
  })
  .meta({ id: 'VisitsOverview' });

export const deletedVisitsSchema = z.strictObject({ deletedVisits: countSchema }).meta({ id: 'DeletedVisits' });

export const mercureInfoSchema = z
  .strictObject({
    mercureHubUrl: z.string().meta({ description: 'Where visits can be followed: an address of this API.' }),
    token: z.string(),
    jwtExpiration: instant,
  })
  .meta({ id: 'MercureInfo' });

export const liveEventsSchema = z.string().meta({ id: 'LiveEvents', description: 'Server-sent events.' });

/**
 * The version of Shlink's REST v3 whose shapes are answered. Clients of that API switch pages on by
 * comparing it, so it is not ours to choose: what 5.1.0 has is what they may ask for.
 */
export const COMPATIBLE_VERSION = '5.1.0';

export const healthSchema = z
  .strictObject({
    status: z.enum(['pass', 'fail']),
    version: z.string().meta({ examples: ['5.1.0'] }),
    links: z.strictObject({ about: z.string(), project: z.string() }),
  })
  .meta({ id: 'Health' });

/** A line of an export as JSON Lines; rows of CSV have the same names. */
export type ExportedLink = ShortUrl & {
  redirectRules: readonly unknown[];
  split: readonly unknown[];
};
export const linkExportSchema = z.string().meta({
  id: 'LinkExport',
  description:
    'JSON Lines: a ShortUrl a line, with `redirectRules` and `split`. CSV: a row each, with its names in the first row, what is in `meta` and `visitsSummary` in columns of its own, tags as `a|b` (as JSON if one of them has `|` or `,`), and text that a spreadsheet would run as a formula behind an apostrophe.',
});

/** A line of an export of visits as JSON Lines; columns of CSV have the same names. */
export interface ExportedVisit {
  eventId: string;
  /** To the millisecond, `Z`. */
  date: string;
  shortUrl: string | null;
  shortCode: string | null;
  /** null: the default one. */
  domain: string | null;
  referer: string | null;
  userAgent: string | null;
  class: VisitClass;
  country: string | null;
  region: string | null;
  city: string | null;
  latitude: number | null;
  longitude: number | null;
  os: string | null;
  browser: string | null;
  device: string | null;
  referrerHost: string | null;
  language: string | null;
  redirectUrl: string | null;
  /** The installation it was imported from. */
  importedFrom: string | null;
  /** The group of its short URL when it was counted. */
  groupId: string | null;
  osVersion: string | null;
  browserVersion: string | null;
  network: string | null;
  channel: string | null;
  classReason: ClassReason | null;
  route: string | null;
  utmSource: string | null;
  utmMedium: string | null;
  utmCampaign: string | null;
  utmTerm: string | null;
  utmContent: string | null;
}
export const visitExportSchema = z.string().meta({
  id: 'VisitExport',
  description:
    'JSON Lines: an object a line with `eventId`, `date` (UTC, to the millisecond), `shortUrl`, `shortCode`, `domain` (null: the default one), `referer`, `userAgent`, `class` (human, bot, preview, prefetch or opted-out), `country`, `region`, `city`, `latitude`, `longitude`, `os`, `browser`, `device`, `referrerHost`, `language`, `redirectUrl`, `importedFrom` (of visits that another installation counted), `groupId`, `osVersion`, `browserVersion`, `network`, `channel`, `classReason`, `route`, `utmSource`, `utmMedium`, `utmCampaign`, `utmTerm` and `utmContent`; null: unknown, or none. No address and no visitor. CSV: the same names in the first row, a row each, null as nothing, and text that a spreadsheet would run as a formula behind an apostrophe.',
});

export type VisitsSummary = z.infer<typeof visitsSummarySchema>;
export type ShortUrl = z.infer<typeof shortUrlSchema>;
export type ShortUrlList = z.infer<typeof shortUrlListSchema>;
export type DeletedShortUrlList = z.infer<typeof deletedShortUrlListSchema>;
export type ShortUrlBatch = z.infer<typeof shortUrlBatchSchema>;
export type VisitLocation = z.infer<typeof visitLocationSchema>;
export type Visit = z.infer<typeof visitSchema>;
export type VisitList = z.infer<typeof visitListSchema>;
export type OrphanVisit = z.infer<typeof orphanVisitSchema>;
export type OrphanVisitList = z.infer<typeof orphanVisitListSchema>;
export type VisitsOverview = z.infer<typeof visitsOverviewSchema>;
export type DeletedVisits = z.infer<typeof deletedVisitsSchema>;
export type MercureInfo = z.infer<typeof mercureInfoSchema>;
export type Health = z.infer<typeof healthSchema>;
export interface Page<Item> {
  data: Item[];
  pagination: z.infer<typeof paginationSchema>;
}
