import type { ImportSource } from '../sources/sources.js';
import { ChunkReport } from './chunk-report.js';
import { readRecords } from './read-records.js';
import { readRow } from './read-row.js';

export interface ImportPlan {
  rows: number;
  links: number;
  visits: number;
  /** Rows that make neither, as far as the file alone says. */
  refused: number;
  reasons: Record<string, number>;
}

/** What is in a file; nothing is written. Whether codes are free and targets allowed is seen when it is imported. @throws AppError `unreadable-file` */
export async function planImport(
  bytes: AsyncIterable<Buffer>,
  format: { source: ImportSource; charset: string },
): Promise<ImportPlan> {
  const plan: ImportPlan = { rows: 0, links: 0, visits: 0, refused: 0, reasons: {} };
  for await (const record of readRecords(bytes, format)) {
    const report = new ChunkReport();
    plan.rows += 1;
    const { links, visits } = readRow({ source: format.source, domain: null }, record, report);
    plan.links += links.length;
    plan.visits += visits.length;
    plan.refused += report.count('refused');
    for (const [reason, count] of Object.entries(report.reasons))
      plan.reasons[reason] = (plan.reasons[reason] ?? 0) + count;
  }
  return plan;
}
