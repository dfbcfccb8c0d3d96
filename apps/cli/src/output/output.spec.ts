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

  it.each([
    ['=1+1', `'=1+1`],
    ['+1 2', `'+1 2`],
    ['+12', `'+12`],
    ['-1+cmd', `'-1+cmd`],
    ['@SUM(A1)', `'@SUM(A1)`],
    ['\tx', `'\tx`],
    ['\rx', `"'\rx"`],
    // Behind a line break, too.
    ['\n=1', `"'\n'=1"`],
    ['\uff1d1', `'\uff1d1`],
    ['\uff0b1', `'\uff0b1`],
    ['\uff0d1', `'\uff0d1`],
    ['\uff20A1', `'\uff20A1`],
    ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
    // No formulas: texts as they are, and numbers, also written as text.
    ['a=1', 'a=1'],
    [`'quoted`, `'quoted`],
    ['-12', '-12'],
    ['-0.5', '-0.5'],
  ])('gives a spreadsheet no formula to run: %j is %j in CSV', (name, field) => {
    expect(renderCsv(COLUMNS, [{ name, size: -5 }])).toBe(`name,sizeBytes\n${field},-5\n`);
    expect(toObjects(COLUMNS, [{ name, size: -5 }])).toEqual([{ name, sizeBytes: -5 }]);
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
