import type { Difference } from '@hopcount/ledger';

import type { Column } from './output.js';

/** Those of the archive are shown among those of the ledger. */
export type ShownDifference = Omit<Difference, 'check'> & { check: string };

/** What the ledger gives beside what is kept. */
export const DIFFERENCE_COLUMNS: Column<ShownDifference>[] = [
  { name: 'check', heading: 'check', value: (row) => row.check },
  { name: 'linkId', heading: 'link id', value: (row) => row.linkId, align: 'right' },
  { name: 'unit', heading: 'unit', value: (row) => row.unit },
  { name: 'expected', heading: 'from the ledger', value: (row) => asText(row.expected) },
  { name: 'actual', heading: 'as kept', value: (row) => asText(row.actual) },
];

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
