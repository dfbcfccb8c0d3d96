export type CsvCell = string | number | boolean | null;

/** How a formula begins, in ASCII and in the full width some spreadsheets read alike (OWASP, "CSV injection"). */
const FORMULA_START = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const GUARDED = /^'+[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
/** Also a number that comes as text, because it is a bigint: negative is no formula. */
const PLAIN_NUMBER = /^-?\d+(\.\d+)?$/;

/**
 * RFC 4180: fields without commas, quotes and line breaks are left bare, anything else is quoted. Text that a spreadsheet
 * would run as a formula gets a leading apostrophe; so does such text behind apostrophes, that one can be taken off again.
 */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvField).join(',')}\n`;
}

/** What a field was before {@link csvLine} guarded it. */
export function withoutFormulaGuard(text: string): string {
  return GUARDED.test(text) ? text.slice(1) : text;
}

function csvField(cell: CsvCell): string {
  const given = cell === null ? '' : String(cell);
  const isFormula = typeof cell === 'string' && FORMULA_START.test(given) && !PLAIN_NUMBER.test(given);
  const text = isFormula ? `'${given}` : given;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
