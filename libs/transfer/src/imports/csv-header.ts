import { parse } from 'csv-parse/sync';

import { AppError } from '@hopcount/runtime';

import { EXPECTED, isKnownName, plain, YOURLS_TABLES } from '../sources/names.js';
import type { ImportSource } from '../sources/sources.js';

const DELIMITERS = [',', ';', '\t', '|'] as const;
const SEP_LINE = /^"?sep=(.)"?[ \t]*(?:\r\n|\n|\r|$)/i;

export interface CsvHeader {
  delimiter: string;
  /** One for each column up to the last that has one; '' is a column without a name. */
  names: readonly string[];
  /** Characters at the start of the text that are no record: the line `sep=`, and the names. */
  length: number;
  /** Lines that these are. */
  lines: number;
}

/**
 * How the table is to be read, by its first record. Spreadsheets say the delimiter in a line `sep=;`; otherwise it is the one
 * of `, ; | TAB` that makes known names of the first record.
 * @param text from the start of the file, with its first record as a whole
 * @throws AppError `unreadable-file`: there is none, or more than one way to read it
 */
export function readHeader(text: string, source: ImportSource): CsvHeader {
  const said = SEP_LINE.exec(text);
  const start = said?.[0].length ?? 0;
  const given = said?.[1];
  if (given !== undefined && !DELIMITERS.some((one) => one === given))
    throw unreadable(`The line "sep=${given}" names no delimiter that is known. Use one of: , ; | or a tab.`);
  const end = firstRecordEnd(text, start) ?? text.length;
  const record = text.slice(start, end);
  const readings = (given === undefined ? DELIMITERS : [given]).flatMap((delimiter) => {
    const names = split(record, delimiter);
    return names === undefined ? [] : [{ delimiter, names }];
  });
  const lines = text.slice(0, end).split(/\r\n|\n|\r/).length - 1;
  if (source === 'yourls') {
    for (const { delimiter, names } of readings) {
      const table = YOURLS_TABLES.find(({ looks }) =>
        looks.test(names.map((name) => name.replaceAll('\n', ' ')).join('\n')),
      );
      if (table !== undefined) return { delimiter, names: table.names, length: start, lines: said === null ? 0 : 1 };
    }
  }
  return { ...chosen(readings), length: end, lines };
}

/** Where the first record ends that says something, behind its line break; undefined: not in this text. */
export function firstRecordEnd(text: string, from = SEP_LINE.exec(text)?.[0].length ?? 0): number | undefined {
  let isQuoted = false;
  let hasText = false;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at] as string;
    if (character === '"') isQuoted = !isQuoted;
    const isBreak = character === '\n' || character === '\r';
    if (isBreak && !isQuoted && hasText) return character === '\r' && text[at + 1] === '\n' ? at + 2 : at + 1;
    hasText ||= !isBreak;
  }
  return undefined;
}

function split(record: string, delimiter: string): string[] | undefined {
  try {
    const options = { delimiter, skip_empty_lines: true, relax_column_count: true };
    const records: string[][] = parse(record, options);
    const [names] = records;
    return names?.map((name) => name.trim());
  } catch {
    // Its quotes make no sense with this delimiter.
    return undefined;
  }
}

function chosen(readings: readonly { delimiter: string; names: string[] }[]) {
  const judged = readings.map((reading) => ({ ...reading, known: reading.names.filter(isKnownName).length }));
  const most = Math.max(0, ...judged.map(({ known }) => known));
  const [best, ...others] = judged.filter(({ known }) => known === most);
  const shown = (best?.names ?? []).slice(0, 8).map((name) => `"${name.slice(0, 40)}"`);
  if (best === undefined || most === 0)
    throw unreadable(`The first line names no column that is known (${shown.join(', ')}). ${EXPECTED}`);
  // A column on its own is read alike with each.
  if (others.length > 0 && [best, ...others].some(({ names }) => names.length > 1))
    throw unreadable('It is not clear which character separates the columns. Say so in a first line, as sep=; does.');
  const twice = best.names.find(
    (name, place) => isKnownName(name) && best.names.some((other, at) => at < place && plain(other) === plain(name)),
  );
  if (twice !== undefined)
    throw unreadable(`Two columns are called "${twice.slice(0, 40)}". Rename or remove one of them.`);
  const width = best.names.findLastIndex((name) => name !== '') + 1;
  return { delimiter: best.delimiter, names: best.names.slice(0, width) };
}

function unreadable(message: string): AppError {
  return new AppError('unreadable-file', message);
}
