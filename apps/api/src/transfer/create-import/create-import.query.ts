import { IMPORT_SOURCES } from '@hopcount/transfer';
import { z } from 'zod';

import { queryFlag, queryText } from '../../http/input.js';

export const createImportQuery = z.strictObject({
  source: z.enum(IMPORT_SOURCES).meta({
    description:
      '`csv`: with a column `longUrl` (of visits: `date` and `shortCode`); `hopcount`: our own exports as JSON Lines.',
    example: 'csv',
  }),
  name: queryText.meta({
    description: 'Which installation it is of: links of one name are imported once. Absent: as the source.',
  }),
  domain: queryText.meta({ description: 'Where links go that name no domain; absent: the default one.' }),
  update: queryFlag.meta({
    description: 'Existing links get the title, note and tags of their row. Their destination URL never changes.',
  }),
});

export type CreateImportQuery = z.output<typeof createImportQuery>;
