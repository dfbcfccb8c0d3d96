import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { csvLine, withoutFormulaGuard } from './csv.js';

/** Without what nobody sees of its start. */
const seen = (text: string) => text.replace(/^[\s\p{C}\u3164\u2800]+/u, '');

describe('csvLine', () => {
  it('S21: quotes what needs it and lets no spreadsheet run a formula', () => {
    expect(csvLine(['plain', 'a,b', 'say "hi"', 'two\nlines', null, 7, true])).toBe(
      'plain,"a,b","say ""hi""","two\nlines",,7,true\n',
    );
    expect(csvLine(['NULL', '\\N', 'NULLS', null])).toBe('"NULL","\\N",NULLS,\n');
    expect(csvLine(['=1+1', '+1', '-5', '@x', '\ttab', '＝x'])).toBe("'=1+1,'+1,-5,'@x,'\ttab,'＝x\n");
  });

  it.each([
    [`=10+20+cmd|' /C calc'!A0`, `'=10+20+cmd|' /C calc'!A0`],
    ['\r=1', `"'\r'=1"`],
    ['\n@x', `"'\n'@x"`],
    ['＋1', `'＋1`],
    ['x;=HYPERLINK("https://evil.test")', `"x;'=HYPERLINK(""https://evil.test"")"`],
    ['x\t@y', `x\t'@y`],
    ['x\n+1', `"x\n'+1"`],
    ['x;"=1+1', `"x;'""=1+1"`],
    [`x;'=1`, `x;''=1`],
    ['a; b - c = d, e@f', '"a; b - c = d, e@f"'],
    [`|cmd' /C calc'!A0`, `'|cmd' /C calc'!A0`],
    ['\u200b=1+1', "'\u200b=1+1"],
    ['\ufeff=1+1', "'\ufeff=1+1"],
    [' \u00a0\u3000@x', "' \u00a0\u3000@x"],
    ['\u00ad\u2060\u202e-1+1', "'\u00ad\u2060\u202e-1+1"],
    ['\u3164\u2800\ufe0f=1', "'\u3164\u2800\ufe0f=1"],
    ['\0=1', "'\0=1"],
    [' \n=1', `"' \n'=1"`],
    ['x;\u200b\u00a0=1', "x;'\u200b\u00a0=1"],
    ['\ufe66SUM(1)', "'\ufe66SUM(1)"],
    ['a | b', 'a | b'],
  ])('lets none that separates by semicolons or tabs run %j', (given, line) => {
    expect(csvLine([given])).toBe(`${line}\n`);
  });

  it('can be read again: the guard comes off, and nothing else', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(...`;\t\r\n"'=-|x1 \0\u200b\ufeff\u00a0\u3164\uff1d😀`) }),
      fc
        .tuple(fc.constantFrom('', "'", "''"), fc.constantFrom('=', '-', '@', '+', 'x'), fc.string())
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (given) => {
        const line = csvLine([given]).slice(0, -1);
        const field = line.startsWith('"') ? line.slice(1, -1).replaceAll('""', '"') : line;
        expect(withoutFormulaGuard(field)).toBe(given);
        if (!/^-?\d+(\.\d+)?$/.test(field)) expect(seen(field)).not.toMatch(/^[=+\-@|\uff1d]/);
        for (const cell of line.split(/[;\t\r\n]/).slice(1)) expect(seen(cell)).not.toMatch(/^"*[=+\-@|\uff1d]/);
      }),
    );
  });
});
