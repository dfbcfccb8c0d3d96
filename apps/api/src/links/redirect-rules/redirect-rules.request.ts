import { CONDITION_TYPES, conditionFault } from '@hopcount/links';
import { z } from 'zod';

const MAX_RULES = 50;
const MAX_CONDITIONS = 20;
const MAX_TARGETS = 20;
const MAX_WEIGHT = 10_000;
/** All gateways hold it for each link that is visited. */
const MAX_CHARACTERS = 65_536;

/** PostgreSQL holds neither in JSON. */
const UNSTORABLE = /[\u0000\p{Cs}]/u;

const matchText = z
  .string()
  .max(256)
  .refine((text) => !UNSTORABLE.test(text), 'broken characters')
  .nullable()
  .default(null);

const target = z
  .string()
  .refine((value) => value.trim() !== '', 'blank')
  .meta({ description: 'As the long URL of a short URL.', example: 'https://example.com/android' });

const condition = z
  .strictObject({
    type: z.enum(CONDITION_TYPES),
    matchKey: matchText.meta({ description: 'Name of the parameter, of the three conditions about one.' }),
    matchValue: matchText.meta({ example: 'android' }),
  })
  .superRefine((given, context) => {
    const message = conditionFault(given);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

/** Body of POST and PATCH short-urls/{code}/redirect-rules. */
export const redirectRulesRequest = z
  .strictObject({
    redirectRules: z
      .array(z.strictObject({ longUrl: target, conditions: z.array(condition).min(1).max(MAX_CONDITIONS) }))
      .max(MAX_RULES)
      .meta({
        description: 'Replace all rules, in the order they are asked: the first whose conditions all hold counts.',
      }),
    split: z
      .array(z.strictObject({ longUrl: target, weight: z.int().min(1).max(MAX_WEIGHT) }))
      .max(MAX_TARGETS)
      .optional()
      .meta({
        description:
          'Replaces the targets between which visitors are split that no rule is about, each of them always to the same one. Absent: stays as it is; empty: none.',
      }),
  })
  .refine((body) => JSON.stringify(body).length <= MAX_CHARACTERS, {
    error: `longer than ${MAX_CHARACTERS} characters together`,
    path: ['redirectRules'],
  });

export type RedirectRulesRequest = z.output<typeof redirectRulesRequest>;
