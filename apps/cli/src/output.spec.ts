import { describe, expect, it } from '@jest/globals';

import { type Column, renderCsv, renderTable, toObjects } from './output.js';

interface Row {
  name: string;
  size: number | null;
}
const COLUMNS: Column<Row>[] = [
  { name: 'name', heading: 'name', value: (row) => row.name },
  { name: 'sizeBytes', heading: 'bytes', value: (row) => row.size, align: 'right' },
];

describe('the output formats', () => {
  const rows = [
    { name: 'plain', size: 7 },
    { name: 'say "hi",\nthere', size: null },
  ];

  it('quotes in CSV what would break a line or a field', () => {
    expect(renderCsv(COLUMNS, rows)).toBe('name,sizeBytes\nplain,7\n"say ""hi"",\nthere",\n');
  });

  it('names columns in JSON and keeps null', () => {
    expect(toObjects(COLUMNS, rows)[1]).toEqual({ name: 'say "hi",\nthere', sizeBytes: null });
  });

  it('aligns a table, and colours it only when asked', () => {
    const plain = renderTable(COLUMNS, [{ name: 'a', size: 1 }], { color: false });
    expect(plain).toBe('name  bytes\na         1\n');
    expect(renderTable(COLUMNS, [], { color: true })).toContain('\u001b[1m');
  });
});
