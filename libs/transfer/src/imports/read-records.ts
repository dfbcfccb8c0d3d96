import { AppError } from '@hopcount/runtime';

import type { ImportSource } from '../sources/sources.js';
import type { SourceRecord } from '../sources/source-link.js';
import { readCsv } from './read-csv.js';
import { decodeText } from './text-encoding.js';

/** A row of the file, or why it is none; the line on which it begins, where it has one of its own. */
export type FileRecord = { row: number; line?: number } & ({ record: SourceRecord } | { fault: string });

/** Of one line of JSON, and of a JSON document, which is read as a whole. */
const MAX_DOCUMENT_LENGTH = 32 * 1_024 * 1_024;

/**
 * Rows of a file, from 1, in its order: CSV with a header, JSON Lines, or one JSON document (a list, or a page as the
 * sources' APIs answer it). Files of lines may have any size.
 * @throws AppError `unreadable-file`
 */
export async function* readRecords(
  bytes: AsyncIterable<Buffer>,
  { charset, source }: { charset: string; source: ImportSource },
): AsyncGenerator<FileRecord> {
  const { first, all } = await peek(decodeText(bytes, charset));
  if (first === undefined) throw unreadable('The file is empty.');
  if (first === '<') throw unreadable('The file is HTML or XML. Export the links as CSV or JSON.');
  if (first === '{' || first === '[') yield* readJson(all);
  else yield* readCsv(all, source);
}

/** The first character that is none of white space, and the text from the start. */
async function peek(text: AsyncGenerator<string>) {
  const seen: string[] = [];
  let first: string | undefined;
  while (first === undefined) {
    const next = await text.next();
    if (next.done === true) break;
    seen.push(next.value);
    first = /\S/.exec(next.value)?.[0];
  }
  async function* all() {
    yield* seen;
    yield* text;
  }
  return { first, all: all() };
}

async function* readJson(text: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  let row = 0;
  let line = 0;
  let isDocument: boolean | undefined;
  const document: string[] = [];
  let length = 0;
  for await (const given of linesOf(text)) {
    line += 1;
    if (given.trim() === '') continue;
    const value = isDocument === true ? undefined : parseLine(given);
    // JSON Lines when the first line is a whole value.
    isDocument ??= value === undefined;
    if (isDocument) {
      document.push(given);
      if ((length += given.length) > MAX_DOCUMENT_LENGTH)
        throw unreadable('A JSON document may have 32 MB; JSON Lines may have more.');
      continue;
    }
    if (value === undefined) yield { row: (row += 1), line, fault: 'The line is not valid JSON.' };
    else for (const item of itemsOf(value.value)) yield { ...toRecord((row += 1), item), line };
  }
  if (document.length === 0) return;
  const value = parseLine(document.join('\n'));
  if (value === undefined) throw unreadable('The file begins as JSON, but is none.');
  for (const item of itemsOf(value.value)) yield toRecord((row += 1), item);
}

async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of text) {
    // Only the piece is searched: a line of many pieces is put together once.
    const lines = piece.split('\n');
    lines[0] = rest + (lines[0] ?? '');
    rest = lines.pop() ?? '';
    yield* lines;
    if (rest.length > MAX_DOCUMENT_LENGTH) throw unreadable('A line of the file is longer than 32 MB.');
  }
  yield rest;
}

function parseLine(line: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(line) };
  } catch {
    // The caller says what it is instead.
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
