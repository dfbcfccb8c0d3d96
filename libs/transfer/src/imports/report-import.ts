import type { Readable } from 'node:stream';

import { streamRecords } from '../export/stream-records.js';
import type { Remark } from './chunk-report.js';
import type { ImportStore } from './import-store.js';

const COLUMNS = ['line', 'row', 'field', 'reason', 'detail'] as const satisfies (keyof Remark)[];

/** What is said of the rows of an import, as CSV: those that were refused, and what was left out of others. */
export function reportImport(imports: Pick<ImportStore, 'report'>, id: string): Readable {
  return streamRecords(COLUMNS, imports.report(id), (remark) => COLUMNS.map((name) => remark[name]), { format: 'csv' });
}
