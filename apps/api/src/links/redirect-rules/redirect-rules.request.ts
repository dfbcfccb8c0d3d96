import { redirectRulesSchema } from '@hopcount/contracts';
import { CONDITION_TYPES, conditionFault, ROUTE_LIMITS } from '@hopcount/links';
import { z } from 'zod';

import { sentBack } from '../../http/sent-back.js';

/** PostgreSQL holds neither in JSON. */
const UNSTORABLE = /[\u0000\p{Cs}]/u;

const matchText = z
  .string()
  .max(ROUTE_LIMITS.text)
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

const rule = z
  .strictObject({
    longUrl: target,
    // Shlink's web client sends back what rules had when they were read, in the order they are to have now.
    priority: z.int().min(1).optional().meta({
      description:
        'Ignored, as by Shlink. The position in the list is the priority, and the response numbers the rules again.',
    }),
    conditions: z.array(condition).min(1).max(ROUTE_LIMITS.conditions),
  })
  .transform(({ longUrl, conditions }) => ({ longUrl, conditions }));

export const ruleEdits = {
  redirectRules: z.array(rule).max(ROUTE_LIMITS.rules).meta({
    description:
      'Replaces all rules. Gateways check them in this order and use the first one whose conditions all match.',
  }),
  split: z
    .array(z.strictObject({ longUrl: target, weight: z.int().min(1).max(ROUTE_LIMITS.weight) }))
    .max(ROUTE_LIMITS.targets)
    .optional()
    .meta({
      description:
        'Replaces the targets of the split, which gets the visitors that match no rule. A visitor always gets the same target. Absent: unchanged; empty: no split.',
    }),
};

/** Body of POST and PATCH short-urls/{code}/redirect-rules. */
export const redirectRulesRequest = z
  .strictObject({ ...sentBack(redirectRulesSchema, ruleEdits), ...ruleEdits })
  .refine((body) => JSON.stringify(body).length <= ROUTE_LIMITS.characters, {
    error: `longer than ${ROUTE_LIMITS.characters} characters together`,
    path: ['redirectRules'],
  });

export type RedirectRulesRequest = z.output<typeof redirectRulesRequest>;
