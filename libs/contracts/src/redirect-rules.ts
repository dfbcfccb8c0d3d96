import { z } from 'zod';

import { countSchema } from './short-url.js';

const conditionSchema = z
  .strictObject({
    type: z.string().meta({ examples: ['device'] }),
    matchKey: z.string().nullable(),
    matchValue: z
      .string()
      .nullable()
      .meta({ examples: ['android'] }),
  })
  .meta({ id: 'RedirectCondition' });

const ruleSchema = z
  .strictObject({
    longUrl: z.string().meta({ examples: ['https://example.com/android'] }),
    priority: countSchema.meta({ description: 'From 1; the first rule whose conditions all hold counts.' }),
    conditions: z.array(conditionSchema),
  })
  .meta({ id: 'RedirectRule' });

const splitTargetSchema = z
  .strictObject({
    longUrl: z.string(),
    weight: countSchema.meta({ description: 'Its share of the sum of all weights.' }),
  })
  .meta({ id: 'SplitTarget' });

/** Where a short URL leads by who asks. */
export const redirectRulesSchema = z
  .strictObject({
    defaultLongUrl: z.string().meta({ description: 'For visitors neither a rule nor the split is about.' }),
    redirectRules: z.array(ruleSchema),
    split: z.array(splitTargetSchema).meta({ description: 'For visitors no rule is about; empty: none.' }),
  })
  .meta({ id: 'RedirectRules' });

/** Where somebody like that would go. */
export const triedRulesSchema = z
  .strictObject({
    rule: countSchema.nullable().meta({ description: 'Whose conditions all hold, from 1; null: of none.' }),
    targets: z
      .array(splitTargetSchema)
      .meta({ description: 'One, or those of the split: each visitor always goes to the same one of them.' }),
  })
  .meta({ id: 'TriedRules' });

export type TriedRules = z.infer<typeof triedRulesSchema>;
export type RedirectRules = z.infer<typeof redirectRulesSchema>;
