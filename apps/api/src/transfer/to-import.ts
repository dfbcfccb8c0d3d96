import type { Import } from '@hopcount/contracts';
import type { ImportRow, Remark } from '@hopcount/transfer';

import { formatDate } from '../http/dates.js';

export function toImport(row: ImportRow, remarks: readonly Remark[]): Import {
  const { id, source, name, domain, charset, state, rowsDone, created, updated, unchanged, refused } = row;
  const { visits, existingVisits, reasons, failure } = row;
  return {
    ...{ id, source, name, domain, charset, state, rows: rowsDone, created, updated, unchanged, refused },
    ...{ visits, existingVisits, existing: unchanged, skipped: refused, reasons, failure },
    skips: remarks.map(({ row: number, line, field, reason, detail }) => {
      return { row: number, line, field, reason, detail };
    }),
    dateCreated: formatDate(row.createdAt),
    dateStarted: row.startedAt && formatDate(row.startedAt),
    dateEnded: row.endedAt && formatDate(row.endedAt),
  };
}
