import { csvLine } from '@hopcount/runtime';
import Table from 'cli-table3';

export { plural } from '@hopcount/runtime';

export const OUTPUT_FORMATS = ['table', 'json', 'csv'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** For commands that write CSV files: spreadsheets recognise UTF-8 by the mark. */
export const NO_BOM = ['--no-bom', 'CSV without the byte order mark, which spreadsheets need to read UTF-8'] as const;

export type Cell = string | number | null;

export interface Column<Row> {
  /** Key in JSON and heading in CSV. */
  name: string;
  heading: string;
  value: (row: Row) => Cell;
  align?: 'left' | 'right';
}

/** Rows as an aligned table without borders, so that it can be piped and pasted. */
export function renderTable<Row>(columns: Column<Row>[], rows: Row[], options: { color: boolean }): string {
  const bold = (text: string) => (options.color ? `\u001b[1m${text}\u001b[22m` : text);
  const table = new Table({
    head: columns.map((column) => bold(column.heading)),
    colAligns: columns.map((column) => column.align ?? 'left'),
    chars: NO_BORDERS,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
  });
  for (const row of rows) table.push(columns.map((column) => String(column.value(row) ?? '-')));
  return `${table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')}\n`;
}

/** Text that a spreadsheet would run as a formula is guarded; JSON has it as it is. */
export function renderCsv<Row>(columns: Column<Row>[], rows: Row[]): string {
  const lines = [
    columns.map((column) => column.name),
    ...rows.map((row) => columns.map((column) => column.value(row))),
  ];
  return lines.map(csvLine).join('');
}

export function renderJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The rows' columns by name, for JSON. */
export function toObjects<Row>(columns: Column<Row>[], rows: Row[]): Record<string, Cell>[] {
  return rows.map((row) => Object.fromEntries(columns.map((column) => [column.name, column.value(row)])));
}

const BORDERS =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid middle';
const NO_BORDERS = Object.fromEntries(BORDERS.split(' ').map((name) => [name, '']));
