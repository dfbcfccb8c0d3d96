import { Readable } from 'node:stream';

import { CSV_BOM, type CsvCell, csvLine } from '@hopcount/runtime';

import { EXPORT_DEADLINE_MS, type ExportFormat } from './export-links.js';
import { watchReader } from './watch-reader.js';

export interface RecordOptions {
  format: ExportFormat;
  /** Of CSV: whether it begins with the mark by which spreadsheets recognise UTF-8. */
  bom?: boolean;
  patienceMs?: number;
  /** From the start until the last line is read; Infinity: none. */
  deadlineMs?: number;
}

/**
 * A line for each record: JSON, or CSV below a row of names. The next piece is read when this one was taken, so one is held
 * at most. Destroying the stream ends the reading; so does a reader that takes nothing for a minute, or not all of it in time.
 */
export function streamRecords<Item>(
  names: readonly string[],
  pieces: AsyncIterable<readonly Item[]>,
  toCells: (item: Item) => CsvCell[],
  { format, bom = false, patienceMs, deadlineMs = EXPORT_DEADLINE_MS }: RecordOptions,
): Readable {
  let bytes = 0;
  const toLine = (item: Item) => (format === 'jsonl' ? `${JSON.stringify(item)}\n` : csvLine(toCells(item)));
  async function* chunks() {
    if (format === 'csv') yield Buffer.from((bom ? CSV_BOM : '') + csvLine(names));
    for await (const items of pieces) {
      const chunk = Buffer.from(items.map(toLine).join(''));
      bytes += chunk.length;
      yield chunk;
    }
  }
  const out = Readable.from(chunks(), { objectMode: false });
  watchReader(out, () => bytes - out.readableLength, { patienceMs, deadlineMs });
  return out;
}
