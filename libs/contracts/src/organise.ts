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

export type TagNames = z.infer<typeof tagListSchema>;
export type TagStats = z.infer<typeof tagStatsSchema>;
export type TagStatsList = z.infer<typeof tagStatsListSchema>;
