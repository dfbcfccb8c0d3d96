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
    charset: z.string().meta({
      description:
        'Character set of the file: named by its byte order mark or the upload, or else detected from its bytes. `windows-1252` that nothing names is assumed (reason `charset-assumed`).',
      examples: ['utf-8'],
    }),
    rows: countSchema.meta({
      description: 'Processed rows of the file: the sum of `created`, `updated`, `unchanged` and `refused`.',
    }),
    created: countSchema.meta({ description: 'Rows that became a link or a visit.' }),
    updated: countSchema.meta({
      description: 'Rows whose link existed already and got the title, note or tags of the row (with `update`).',
    }),
    unchanged: countSchema.meta({
      description: 'Rows whose link (to the same URL) or visit existed already. It is unchanged.',
    }),
    refused: countSchema.meta({ description: 'Rows from which nothing was imported.' }),
    visits: countSchema.meta({ description: 'Of the created rows, those that are visits.' }),
    existingVisits: countSchema.meta({ description: 'Of the unchanged rows, those that are visits.' }),
    existing: countSchema.meta({ description: 'As `unchanged`.', deprecated: true }),
    skipped: countSchema.meta({ description: 'As `refused`.', deprecated: true }),
    reasons: z.record(z.string(), countSchema).meta({
      description:
        'Number of rows by reason (codes of problems, and reasons of imports). All reasons refuse the row, except `field-not-imported`, `differs-here`, `limit-from-nothing` and `visits-are-totals`.',
      examples: [{ 'non-unique-slug': 2, 'field-not-imported': 1 }],
    }),
    skips: z
      .array(
        z.strictObject({
          row: countSchema.meta({ description: 'Rows of CSV count from 1 after the header. 0: the file.' }),
          line: countSchema
            .nullable()
            .meta({ description: 'Line on which the row begins, from 1; null: it has none.' }),
          field: z.string().nullable().meta({ description: 'Field that the reason is about; null: the whole row.' }),
          reason: z.string(),
          detail: z.string(),
        }),
      )
      .meta({ description: 'The first thousand; all of them (at most 100,000, for 90 days): `GET …/report`.' }),
    failure: z.string().nullable().meta({ description: 'Why it ended before its end.' }),
    dateCreated: instant,
    dateStarted: instant.nullable(),
    dateEnded: instant.nullable(),
  })
  .meta({ id: 'Import' });

/** What `GET /rest/v3/imports/{id}/report` answers. */
export const importReportSchema = z.string().meta({
  id: 'ImportReport',
  description: 'CSV with the columns line, row, field, reason and detail; see `skips` of an import.',
});

export type Import = z.infer<typeof importSchema>;
