import { shortUrlSchema } from '@hopcount/contracts';
import { z } from 'zod';

import { sentBack, takenOf } from '../../http/sent-back.js';
import { INVALID_PERIOD, isValidPeriod, passwordField, settingFields } from '../setting-fields.js';
import { settledFields } from '../settled-fields.js';

const optionalText = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .nullish()
    .transform((value) => (value === undefined || value === null || value.trim() === '' ? null : value));

const createFields = {
  longUrl: z
    .string()
    // Longer ones are refused as a target, not as a malformed field.
    .refine((value) => value.trim() !== '', 'blank')
    .meta({
      description: 'Where the link leads: an absolute http or https URL.',
      example: 'https://example.com/a?b=c',
    }),
  customSlug: optionalText(2_048).meta({
    description: 'The code to use. Spaces and `/` become `-`.',
    example: 'my-slug',
  }),
  domain: optionalText(253).meta({ description: 'Domain of the link; absent: the default one.', example: 'sho.rt' }),
  title: optionalText(16_384).meta({ description: 'Cut at 512 characters.', example: 'Example' }),
  tags: z
    .array(z.string())
    .max(1_000)
    .nullish()
    .transform((value) => value ?? [])
    .meta({ description: 'Lower-cased; spaces become `-`.', example: ['docs', 'spring sale'] }),
  groupId: optionalText(1_024).meta({ description: 'Group of the link; created when new.', example: 'marketing' }),
  ...settingFields,
  password: passwordField,
  ...settledFields,
  pathPrefix: optionalText(1_024).meta({
    description: 'What the code begins with, before `customSlug` or a generated one. Spaces and `/` become `-`.',
    example: 'spring-',
  }),
  shortCodeLength: z
    .int()
    .min(4)
    .max(100)
    .nullish()
    .transform((value) => value ?? null)
    .meta({
      description:
        'Of the generated code, which is random then; not counted: `pathPrefix`. Longer when codes of that length are used up. Of no meaning beside `customSlug`.',
      example: 5,
    }),
  findIfExists: z
    .boolean()
    .nullish()
    .transform((value) => value ?? false)
    .meta({
      description:
        'Answer the oldest short URL to the same long URL that has everything else that is given here (all of the tags and no other), if there is one. `title`, `note` and `shortCodeLength` are of a new one only. Links with a password are never found, and none can be asked for.',
    }),
  note: optionalText(16_384).meta({ description: 'For those who manage links; at most 4,096 characters.' }),
};

const { validSince, validUntil, maxVisits } = settingFields;

/** Of a short URL that was read: the limits of the new one, where the body names no others. */
const meta = z
  .strictObject({ validSince, validUntil, maxVisits })
  .optional()
  .meta({ description: 'As it is answered: limits of the new short URL, each unless it is given beside `meta`.' });

/**
 * Body of POST short-urls; null and blank mean "not given". Of a whole ShortUrl, as GET answers it, all that can be chosen is
 * taken: what is created has a code of its own, and no redirect rules.
 */
export const createLinkRequest = z
  .strictObject({ ...sentBack(shortUrlSchema, { ...createFields, meta }), meta, ...createFields })
  .transform(({ meta: limits, ...given }) => ({ ...limits, ...withoutUndefined(given) }))
  .refine(isValidPeriod, INVALID_PERIOD)
  .transform((given) => takenOf(given, createFields, given.password == null ? { hasPassword: false } : {}));

function withoutUndefined<Given extends object>(given: Given): Given {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Given;
}

export type CreateLinkRequest = z.output<typeof createLinkRequest>;
