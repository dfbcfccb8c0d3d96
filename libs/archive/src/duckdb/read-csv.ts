import { quote } from './quoting.js';

/** PostgreSQL's side: each text is quoted, and what is not quoted and empty is null. */
export const COPY_OPTIONS = '(FORMAT csv, FORCE_QUOTE *)';

/** The same the other way round: what DuckDB writes, and PostgreSQL reads. */
export const WRITE_CSV = `(FORMAT csv, HEADER false, DELIMITER ',', QUOTE '"', ESCAPE '"', FORCE_QUOTE *, NULLSTR '')`;

/** DuckDB's side of a file written with `COPY_OPTIONS`. Nothing is guessed; what does not parse is an error. */
export function readCsv(path: string, columns: readonly { name: string; type: string }[]): string {
  const types = columns.map(({ name, type }) => `${quote(name)}: ${quote(type)}`).join(', ');
  return `read_csv(${quote(path)}, columns = {${types}}, header = false, auto_detect = false, delim = ',', quote = '"',
    escape = '"', new_line = '\\n', nullstr = '', allow_quoted_nulls = false, max_line_size = ${MAX_LINE_BYTES}, buffer_size = ${BUFFER_BYTES})`;
}

/** A visit is far smaller: texts are cut to their limits at the gateway. */
const MAX_LINE_BYTES = 1 << 20;
/** A quarter of what DuckDB would take. */
const BUFFER_BYTES = 8 * MAX_LINE_BYTES;

/** A row as `readCsv` reads it: what is not quoted and empty is null. */
export function csvLine(row: readonly (string | number | null)[]): string {
  return `${row.map((cell) => (cell === null ? '' : `"${String(cell).replaceAll('"', '""')}"`)).join(',')}\n`;
}
