import { isEventId } from '@hopcount/contracts';
import { EXPORT_FORMATS } from '@hopcount/transfer';
import { z } from 'zod';

import { queryBom, queryText } from '../../http/input.js';
import { listVisitsQuery } from '../../visits/list-visits/list-visits.query.js';

export const exportVisitsQuery = listVisitsQuery
  .pick({ range: true, startDate: true, endDate: true, timeZone: true, excludeBots: true })
  .extend({
    format: z
      .enum([...EXPORT_FORMATS, 'parquet'])
      .default('csv')
      .meta({
        description: 'A Parquet file is sent once it is whole; it has 10,000,000 visits at most.',
      }),
    bom: queryBom,
    shortCode: queryText.meta({ description: 'Of this short URL; absent: of all of them.' }),
    domain: queryText.meta({ description: 'The one `shortCode` is on; absent: the default one.' }),
    after: z
      .string()
      .refine(isEventId, 'not the id of a visit')
      .optional()
      .meta({ description: 'The `eventId` of the last visit that came: goes on behind it.' }),
  })
  .refine(({ shortCode, domain }) => domain === null || shortCode !== null, {
    path: ['domain'],
    error: 'goes with shortCode only',
  });

export type ExportVisitsQuery = z.output<typeof exportVisitsQuery>;
