import { EXPORT_FORMATS } from '@hopcount/transfer';
import { z } from 'zod';

export const exportLinksQuery = z.strictObject({
  format: z.enum(EXPORT_FORMATS).default('csv'),
});

export type ExportLinksQuery = z.output<typeof exportLinksQuery>;
