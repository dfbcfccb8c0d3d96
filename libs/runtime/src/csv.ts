export type CsvCell = string | number | boolean | null;

/** How a formula begins (OWASP, "CSV injection"; `|`: DDE), also in the widths that some spreadsheets read alike. */
const SIGN = '[=+\\-@|\\uff1d\\uff0b\\uff0d\\uff20\\uff5c\\ufe66\\ufe62\\ufe63\\ufe6b]';
/** What nobody sees of a text: spreadsheets that take it away, or people who copy the rest, are left with the formula. */
const UNSEEN = '\\s\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}\\u2800';
const AT_START = `'*(?:[\\t\\r\\n]|[${UNSEEN}]*${SIGN})`;
/** Without a line break or tab: behind that another cell begins. */
const INSIDE = `["']*(?:(?![\\t\\r\\n])[${UNSEEN}])*["']*${SIGN}`;

const FORMULA_START = new RegExp(`^${AT_START}`, 'u');
const GUARDED_START = new RegExp(`^'(?=${AT_START})`, 'u');
/**
 * Where a spreadsheet whose separator is `;` or a tab begins a cell: it does not heed the quotes of a field that begins
 * in the middle of its cell, so line breaks end rows as well.
 */
const FORMULA_INSIDE = new RegExp(`[;\\t\\r\\n](?=${INSIDE})`, 'gu');
const GUARDED_INSIDE = new RegExp(`([;\\t\\r\\n])'(?=${INSIDE})`, 'gu');
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

/** What a field was before {@link csvLine} guarded it: of any text the same again. */
export function withoutFormulaGuard(text: string): string {
  return text.replace(GUARDED_INSIDE, '$1').replace(GUARDED_START, '');
}

/** Before the first line of a file: by it spreadsheets know that it is UTF-8. */
export const CSV_BOM = '\ufeff';

function csvField(cell: CsvCell): string {
  const given = cell === null ? '' : String(cell);
  const text = typeof cell !== 'string' || PLAIN_NUMBER.test(given) ? given : withFormulaGuard(given);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function withFormulaGuard(text: string): string {
  const guarded = text.replace(FORMULA_INSIDE, "$&'");
  return FORMULA_START.test(text) ? `'${guarded}` : guarded;
}
