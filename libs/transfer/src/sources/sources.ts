import { withoutFormulaGuard } from '@hopcount/runtime';

import { readBitly, readKutt, readYourls } from './read-others.js';
import { readShlink } from './read-shlink.js';
import type { ReadLinks } from './source-link.js';

/** What spreadsheets are kept from running is text again. */
const readCsv: ReadLinks = (record) => {
  const entries = Object.entries(record).map(([name, value]) => [
    name,
    typeof value === 'string' ? withoutFormulaGuard(value) : value,
  ]);
  return readShlink(Object.fromEntries(entries) as Record<string, unknown>);
};

/** Whose links can be read. */
const SOURCES = {
  /** Our own CSV export, or any with a column of long URLs. */
  csv: readCsv,
  /** Our own export as JSON Lines. */
  hopcount: readShlink,
  shlink: readShlink,
  kutt: readKutt,
  yourls: readYourls,
  bitly: readBitly,
} as const satisfies Record<string, ReadLinks>;

export type ImportSource = keyof typeof SOURCES;
export const IMPORT_SOURCES = Object.keys(SOURCES) as [ImportSource, ...ImportSource[]];

export function readerOf(source: ImportSource): ReadLinks {
  return SOURCES[source];
}
