import { readBitly, readKutt, readYourls } from './read-others.js';
import { readShlink } from './read-shlink.js';
import type { ReadLinks } from './source-link.js';

/** Whose links can be read. */
const SOURCES = {
  /** Our own exports, or any CSV with a column of long URLs. */
  csv: readShlink,
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
