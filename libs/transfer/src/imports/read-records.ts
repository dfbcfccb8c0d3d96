import { CsvError, parse } from 'csv-parse';
import { Readable } from 'node:stream';

import { AppError } from '@hopcount/runtime';

import type { SourceRecord } from '../sources/source-link.js';

/** A row of the file, or why it is none. */
export type FileRecord = { row: number } & ({ record: SourceRecord } | { fault: string });

/** Of one line of CSV or JSON; and of a JSON document, which is read as a whole. */
const MAX_LINE_BYTES = 1_024 * 1_024;
const MAX_DOCUMENT_BYTES = 32 * 1_024 * 1_024;

/**
 * Rows of a file, from 1, in its order: CSV with a header, JSON Lines, or one JSON document (a list, or a page as the
 * sources' APIs answer it). Files of lines may have any size.
 * @throws AppError `unreadable-file`
 */
export async function* readRecords(bytes: AsyncIterable<Buffer>): AsyncGenerator<FileRecord> {
  const { first, all } = await peek(bytes);
  if (first === undefined) throw unreadable('The file is empty.');
  if (first === '{' || first === '[') yield* readJson(all);
  else yield* readCsv(all);
}

/** The first character that is none of white space (or a byte order mark), and the bytes from the start. */
async function peek(bytes: AsyncIterable<Buffer>) {
  const iterator = bytes[Symbol.asyncIterator]();
  const seen: Buffer[] = [];
  let first: string | undefined;
  while (first === undefined) {
    const next = await iterator.next();
    if (next.done === true) break;
    seen.push(next.value);
    first = /[^\s\ufeff]/.exec(next.value.toString('utf8'))?.[0];
  }
  async function* all() {
    yield* seen;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
  }
  return { first, all: all() };
}

async function* readCsv(bytes: AsyncIterable<Buffer>): AsyncGenerator<FileRecord> {
  const parser = parse({
    columns: (names: string[]) => names.map((name) => name.trim()),
    bom: true,
    trim: false,
    skip_empty_lines: true,
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: MAX_LINE_BYTES,
  });
  const source = Readable.from(bytes).on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  let row = 0;
  try {
    for await (const record of parser as AsyncIterable<SourceRecord>) {
      row += 1;
      yield { row, record };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw unreadable(`After row ${row} the file is no CSV: ${error.message}`);
  } finally {
    source.destroy();
  }
}

async function* readJson(bytes: AsyncIterable<Buffer>): AsyncGenerator<FileRecord> {
  let row = 0;
  let isDocument: boolean | undefined;
  const document: string[] = [];
  let length = 0;
  for await (const line of linesOf(bytes)) {
    if (line.trim() === '') continue;
    const value = isDocument === true ? undefined : parseLine(line);
    // JSON Lines when the first line is a whole value.
    isDocument ??= value === undefined;
    if (isDocument) {
      document.push(line);
      if ((length += line.length) > MAX_DOCUMENT_BYTES)
        throw unreadable('A JSON document may have 32 MB; JSON Lines may have more.');
      continue;
    }
    if (value === undefined) yield { row: (row += 1), fault: 'The line is no JSON.' };
    else for (const item of itemsOf(value.value)) yield toRecord((row += 1), item);
  }
  if (document.length === 0) return;
  const value = parseLine(document.join('\n'));
  if (value === undefined) throw unreadable('The file begins as JSON, but is none.');
  for (const item of itemsOf(value.value)) yield toRecord((row += 1), item);
}

async function* linesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = Buffer.alloc(0);
  for await (const chunk of bytes) {
    rest = Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10, start)) {
      yield rest.toString('utf8', start, end);
      start = end + 1;
    }
    rest = rest.subarray(start);
    if (rest.length > MAX_DOCUMENT_BYTES) throw unreadable('A line of the file is longer than 32 MB.');
  }
  yield rest.toString('utf8');
}

function parseLine(line: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(line.replace(/^\ufeff/, '')) };
  } catch {
    // No JSON: the caller reports the line.
    return undefined;
  }
}

/** Links of a page as an API answers it, of a list, or one link. */
function itemsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  const { shortUrls, data, links } = (value ?? {}) as Record<string, unknown>;
  if (shortUrls !== undefined) return itemsOf(shortUrls);
  if (Array.isArray(data)) return data;
  if (Array.isArray(links)) return links;
  // YOURLS names them: link_1, link_2 …
  if (typeof links === 'object' && links !== null) return Object.values(links);
  return [value];
}

function toRecord(row: number, item: unknown): FileRecord {
  if (typeof item === 'object' && item !== null && !Array.isArray(item)) return { row, record: item as SourceRecord };
  return { row, fault: 'This is no link.' };
}

function unreadable(message: string): AppError {
  return new AppError('unreadable-file', message);
}
