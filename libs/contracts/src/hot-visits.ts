import { z } from 'zod';

const instant = z.iso.datetime();
const load = {
  visits: z.int().meta({ description: 'From `since` to `until`, bots among them: each is a request.' }),
  perSecond: z.number().meta({ description: 'The mean of that time, with at most three decimals.' }),
  weight: z
    .number()
    .min(0)
    .max(1)
    .meta({ description: 'Its share of the visits of all short URLs, with at most four decimals.' }),
};

export const hotVisitsSchema = z
  .strictObject({
    hot: z.strictObject({
      since: instant.meta({ description: 'Start of a quarter of an hour (UTC): that before the open one.' }),
      until: instant,
      visits: z.int().meta({ description: 'Of all short URLs.' }),
      hosts: z
        .array(z.strictObject({ host: z.string().meta({ examples: ['s.example'] }), ...load }))
        .meta({ description: 'Domains of short URLs.' }),
      links: z.array(z.strictObject({ domain: z.string(), shortCode: z.string(), shortUrl: z.string(), ...load })),
    }),
  })
  .meta({ id: 'HotVisits' });
export type HotVisitsAnswer = z.infer<typeof hotVisitsSchema>;
