import { z } from 'zod';

const MAX_LENGTH = 2_048;
/** Typed or pasted by somebody, with spaces around it. */
const typed = z.string().trim().max(MAX_LENGTH);
const text = typed.default('');

/** Body of POST short-urls/{code}/redirect-rules/try: a visitor who might come. */
export const tryRulesRequest = z.strictObject({
  userAgent: text.meta({ description: 'As the browser says it.', example: 'Mozilla/5.0 (iPhone; …)' }),
  acceptLanguage: text.meta({ example: 'de-CH,de;q=0.9' }),
  query: text.meta({ description: 'Of the short URL as it is asked for, without `?`.', example: 'utm_source=mail' }),
  address: z
    .union([typed.check(z.ipv4()), typed.check(z.ipv6())])
    .nullable()
    .default(null)
    .meta({ description: 'Its place is not looked up: give `country` and `city`.', example: '192.0.2.7' }),
  country: typed.toUpperCase().default('').meta({ example: 'DE' }),
  city: text.meta({ example: 'Berlin' }),
  date: z.iso.datetime({ offset: true }).nullable().default(null).meta({ description: 'null: now.' }),
});

export type TryRulesRequest = z.output<typeof tryRulesRequest>;
