import type { Import } from '@hopcount/contracts';
import type { ImportRow, ImportSkip } from '@hopcount/transfer';

import { formatDate } from '../http/dates.js';

export function toImport(row: ImportRow, skips: ImportSkip[]): Import {
  const { id, source, name, domain, state, rowsDone, created, existing, skipped, reasons, failure } = row;
  const { visits, existingVisits } = row;
  return {
    ...{ id, source, name, domain, state, rows: rowsDone, created, existing, skipped, reasons, skips, failure },
    ...{ visits, existingVisits },
    dateCreated: formatDate(row.createdAt),
    dateStarted: row.startedAt && formatDate(row.startedAt),
    dateEnded: row.endedAt && formatDate(row.endedAt),
  };
}
