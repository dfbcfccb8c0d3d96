export type CsvCell = string | number | boolean | null;

/** How a formula begins, in ASCII and in the full width some spreadsheets read alike (OWASP, "CSV injection"). */
const FORMULA_START = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const GUARDED_START = /^'(?='*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])/;
/**
 * Where a spreadsheet whose separator is `;` or a tab begins a cell: it does not heed the quotes of a field that begins
 * in the middle of its cell, so line breaks end rows as well.
 */
const FORMULA_INSIDE = /[;\t\r\n](?=["']*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;
const GUARDED_INSIDE = /([;\t\r\n])'(?=["']*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;
/** Also a number that comes as text, because it is a bigint: negative is no formula. */
const PLAIN_NUMBER = /^-?\d+(\.\d+)?$/;

/** Also text that importers take for no value when it is bare. */
const NEEDS_QUOTES = /[",\r\n]|^(?:NULL|\\N)$/;

/**
 * RFC 4180: fields without commas, quotes and line breaks are left bare, anything else is quoted. Text that a spreadsheet
 * would run as a formula gets an apostrophe before it, also behind `;`, tabs and line breaks; so does such text behind
 * apostrophes, that one can be taken off again.
 */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvField).join(',')}\n`;
}

/** What a field was before {@link csvLine} guarded it. */
export function withoutFormulaGuard(text: string): string {
  return text.replace(GUARDED_START, '').replace(GUARDED_INSIDE, '$1');
}

function csvField(cell: CsvCell): string {
  const given = cell === null ? '' : String(cell);
  const text = typeof cell !== 'string' || PLAIN_NUMBER.test(given) ? given : withFormulaGuard(given);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function withFormulaGuard(text: string): string {
  const guarded = text.replace(FORMULA_INSIDE, "$&'");
  return FORMULA_START.test(text) ? `'${guarded}` : guarded;
}
