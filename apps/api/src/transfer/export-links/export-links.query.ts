import { EXPORT_FORMATS } from '@hopcount/transfer';
import { z } from 'zod';

import { queryBom } from '../../http/input.js';

export const exportLinksQuery = z.strictObject({
  format: z.enum(EXPORT_FORMATS).default('csv'),
  bom: queryBom,
});

export type ExportLinksQuery = z.output<typeof exportLinksQuery>;
