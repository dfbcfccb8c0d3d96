import { z } from 'zod';

import { countSchema, pageOf, visitsSummarySchema } from './short-url.js';

/** Names of tags, in the shape of Shlink's REST v3. */
export const tagListSchema = z.strictObject({ tags: pageOf(z.string()) }).meta({ id: 'TagList' });

export const tagStatsSchema = z
  .strictObject({
    tag: z.string().meta({ examples: ['spring-sale'] }),
    shortUrlsCount: countSchema.meta({ description: 'Deleted ones do not count.' }),
    visitsSummary: visitsSummarySchema.meta({
      description: 'All-time visits of the short URLs that have the tag now, deleted ones too; about a second behind.',
    }),
  })
  .meta({ id: 'TagStats' });

export const tagStatsListSchema = z.strictObject({ tags: pageOf(tagStatsSchema) }).meta({ id: 'TagStatsList' });

const redirectFields = {
  baseUrlRedirect: z.string().nullable(),
  regular404Redirect: z.string().nullable(),
  invalidShortUrlRedirect: z.string().nullable(),
};

export const notFoundRedirectsSchema = z.strictObject(redirectFields).meta({ id: 'NotFoundRedirects' });

export const domainSchema = z.strictObject({
  domain: z.string().meta({ examples: ['localhost:8080'] }),
  isDefault: z.boolean(),
  redirects: notFoundRedirectsSchema,
});

export const domainListSchema = z
  .strictObject({
    domains: z.strictObject({
      data: z.array(domainSchema),
      defaultRedirects: notFoundRedirectsSchema.meta({
        description: 'Where a domain has null: settings of the installation.',
      }),
    }),
  })
  .meta({ id: 'DomainList' });

export const groupSchema = z
  .strictObject({
    groupId: z.string().meta({ description: 'What short URLs name; never changes.', examples: ['marketing'] }),
    name: z.string().meta({ examples: ['Marketing'] }),
    shortUrlsCount: countSchema,
    deletedShortUrlsCount: countSchema.meta({ description: 'In the recycle bin.' }),
  })
  .meta({ id: 'Group' });

export const groupListSchema = z.strictObject({ groups: pageOf(groupSchema) }).meta({ id: 'GroupList' });
export const movedShortUrlsSchema = z
  .strictObject({ movedShortUrls: countSchema.meta({ description: 'Those that were not in the group already.' }) })
  .meta({ id: 'MovedShortUrls' });

export type Group = z.infer<typeof groupSchema>;
export type GroupList = z.infer<typeof groupListSchema>;
export type MovedShortUrls = z.infer<typeof movedShortUrlsSchema>;
export type NotFoundRedirectsAnswer = z.infer<typeof notFoundRedirectsSchema>;
export type DomainListAnswer = z.infer<typeof domainListSchema>;
export type TagNames = z.infer<typeof tagListSchema>;
export type TagStats = z.infer<typeof tagStatsSchema>;
export type TagStatsList = z.infer<typeof tagStatsListSchema>;
