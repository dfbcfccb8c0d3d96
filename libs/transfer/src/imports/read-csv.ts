import { CsvError, parse } from 'csv-parse';

import { AppError, withoutFormulaGuard } from '@hopcount/runtime';

import type { ImportSource } from '../sources/sources.js';
import { type CsvHeader, firstRecordEnd, readHeader } from './csv-header.js';
import type { FileRecord } from './read-records.js';

/** Whose tables may be ours, in which texts are kept from being run by spreadsheets. */
const OURS: ReadonlySet<ImportSource> = new Set(['csv', 'hopcount']);
/** Of one record. */
export const MAX_RECORD_LENGTH = 1_024 * 1_024;

type Unnumbered = Omit<FileRecord, 'row'> & ({ record: Record<string, string> } | { fault: string });

/**
 * Rows of a table, from 1, with the line on which each begins. Quotes as in RFC 4180; others are a fault.
 * @throws AppError `unreadable-file`
 */
export async function* readCsv(text: AsyncIterable<string>, source: ImportSource): AsyncGenerator<FileRecord> {
  let row = 0;
  let reader: CsvReader | undefined;
  let beginning = '';
  for await (const piece of text) {
    let rest = piece;
    if (reader === undefined) {
      beginning += piece;
      if (beginning.length <= MAX_RECORD_LENGTH && firstRecordEnd(beginning) === undefined) continue;
      const header = readHeader(beginning, source);
      reader = new CsvReader(header, OURS.has(source));
      rest = beginning.slice(header.length);
    }
    for (const record of await reader.take(rest)) yield { ...record, row: (row += 1) };
  }
  if (reader === undefined) {
    const header = readHeader(beginning, source);
    reader = new CsvReader(header, OURS.has(source));
    for (const record of await reader.take(beginning.slice(header.length))) yield { ...record, row: (row += 1) };
  }
  for (const record of await reader.end()) yield { ...record, row: (row += 1) };
}

/** Below the header. The parser calls back in the order of the file, so records and faults come as they stand there. */
class CsvReader {
  #found: Unnumbered[] = [];
  #fault: CsvError | undefined;
  /** Of the record before: its last line, and the empty lines up to it. */
  #before = { lines: 0, empty: 0 };
  #surplus = 0;
  #failure: Error | undefined;
  readonly #parser;

  constructor(
    private readonly header: CsvHeader,
    private readonly isGuarded: boolean,
  ) {
    const { delimiter } = header;
    const parser = parse({
      ...{ delimiter, record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true, skip_empty_lines: true },
      ...{ max_record_size: MAX_RECORD_LENGTH, skip_records_with_error: true },
      // Databases write them so, without quotes.
      cast: (value, { quoting }) => (!quoting && (value === 'NULL' || value === '\\N') ? '' : value),
      on_skip: (error) => {
        if (error?.code === 'CSV_MAX_RECORD_SIZE') throw error;
        this.#fault ??= error;
        // The record goes on to the end of its line and is told below: what stands after it is read again.
        Object.assign(parser.state, { recordHasError: false, quoting: false });
        return undefined;
      },
      on_record: (record: string[], { lines, empty_lines: empty }) => {
        // The parser takes CR LF within quotes for two lines.
        this.#surplus += record.join('').split('\r\n').length - 1;
        this.#add(record, lines - this.#surplus, empty);
        return null;
      },
    }) as ReturnType<typeof parse> & { state: object };
    // Each call is told of its error; without a listener the event would end the process.
    this.#parser = parser.on('error', (error) => (this.#failure = error));
  }

  async take(text: string): Promise<Unnumbered[]> {
    if (text !== '') await this.#call((done) => this.#parser.write(text, done));
    return this.#taken();
  }

  async end(): Promise<Unnumbered[]> {
    await this.#call((done) => this.#parser.end(done));
    if (this.#fault !== undefined) this.#add([], this.#before.lines + 1, this.#before.empty);
    return this.#taken();
  }

  async #call(act: (done: (error?: Error | null) => void) => void): Promise<void> {
    try {
      await new Promise<void>((resolve, reject) => act((error) => (error == null ? resolve() : reject(error))));
      if (this.#failure !== undefined) throw this.#failure;
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      const line = this.header.lines + this.#before.lines + 1;
      throw new AppError('unreadable-file', `The record on line ${line} is longer than 1 MB. Is a quote left open?`, {
        cause: error,
      });
    }
  }

  #taken(): Unnumbered[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  #add(values: readonly string[], lastLine: number, empty: number): void {
    const { lines: offset, names } = this.header;
    const line = offset + this.#before.lines + 1 + empty - this.#before.empty;
    this.#before = { lines: lastLine, empty };
    const fault = this.#fault;
    this.#fault = undefined;
    if (fault !== undefined) this.#found.push({ line, fault: faultOf(fault, { line, last: offset + lastLine }) });
    // What spreadsheets leave below a table.
    else if (values.some((value) => value.trim() !== '')) {
      const texts = this.isGuarded ? values.map(withoutFormulaGuard) : values;
      this.#found.push({ line, ...toRecord(names, texts) });
    }
  }
}

function toRecord(
  names: readonly string[],
  values: readonly string[],
): { record: Record<string, string> } | { fault: string } {
  const isFull = values.length >= names.length;
  const surplus = values.findIndex((value, place) => (names[place] ?? '') === '' && value.trim() !== '');
  if (isFull && surplus < 0)
    return { record: Object.fromEntries(names.map((name, place) => [name, values[place] ?? ''])) };
  const which = isFull
    ? `a value in column ${surplus + 1}, which has no name`
    : `${values.length} of the ${names.length} columns`;
  return { fault: `The line has ${which}. Put quotes around values with a delimiter or a line break in them.` };
}

function faultOf({ code }: CsvError, { line, last }: { line: number; last: number }): string {
  const where = last > line ? ` (lines ${line} to ${last} were read as one record)` : '';
  if (code === 'CSV_QUOTE_NOT_CLOSED')
    return 'A quote is opened and never closed: all that follows is part of this record.';
  return `A quote is not allowed here${where}. Put quotes around the whole value, and double those in it.`;
}
