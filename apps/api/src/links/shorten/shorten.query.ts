import { z } from 'zod';

import { queryText } from '../../http/input.js';

/** Query of GET short-urls/shorten. */
export const shortenQuery = z.strictObject({
  apiKey: queryText.meta({ description: 'The API key; the X-Api-Key header will do as well.' }),
  longUrl: z
    .string()
    .refine((value) => value.trim() !== '', 'blank')
    .meta({ description: 'Where the link leads: an absolute http or https URL.', example: 'https://example.com/a' }),
  format: z
    .enum(['txt', 'json'])
    .optional()
    .meta({ description: 'Without it: text where `Accept` is `text/plain`, JSON otherwise.' }),
});

export type ShortenQuery = z.output<typeof shortenQuery>;
