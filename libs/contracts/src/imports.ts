import { z } from 'zod';

import { countSchema } from './short-url.js';

const instant = z.string().meta({ format: 'date-time', description: 'Whole seconds, `+00:00`.' });

/** Links and visits that come from elsewhere. */
export const importSchema = z
  .strictObject({
    id: z.string().meta({ examples: ['7'] }),
    source: z.string().meta({ description: 'Whose format the file has.', examples: ['shlink'] }),
    name: z.string().meta({ description: 'The installation the links are of.' }),
    domain: z.string().nullable().meta({ description: 'Of links that name none; null: the default domain.' }),
    state: z.enum(['uploading', 'waiting', 'running', 'done', 'failed']),
    rows: countSchema.meta({ description: 'Of the file, that are dealt with.' }),
    created: countSchema.meta({ description: 'Links that are new.' }),
    existing: countSchema.meta({ description: 'Links that were there already: imported before, or the same.' }),
    visits: countSchema.meta({ description: 'Visits that were counted.' }),
    existingVisits: countSchema.meta({ description: 'Visits that were here already: imported before, or our own.' }),
    skipped: countSchema.meta({ description: 'Rows, links and visits that were not taken.' }),
    reasons: z.record(z.string(), countSchema).meta({
      description:
        'How often what was not taken, and why: codes of problems, and reasons of imports. `field-not-imported` and `visits-are-totals` are of links that were.',
      examples: [{ 'non-unique-slug': 2, 'field-not-imported': 1 }],
    }),
    skips: z
      .array(z.strictObject({ row: countSchema, reason: z.string(), detail: z.string() }))
      .meta({ description: 'The first thousand. Rows of CSV count from 1 after the header.' }),
    failure: z.string().nullable().meta({ description: 'Why it ended before its end.' }),
    dateCreated: instant,
    dateStarted: instant.nullable(),
    dateEnded: instant.nullable(),
  })
  .meta({ id: 'Import' });

export type Import = z.infer<typeof importSchema>;
