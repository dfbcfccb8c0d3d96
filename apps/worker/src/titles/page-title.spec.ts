import { describe, expect, it } from '@jest/globals';

import { pageTitle } from './page-title.js';

const titleOf = (html: string | Buffer, contentType: string | undefined = 'text/html') =>
  pageTitle({ contentType, body: Buffer.from(html) });

describe('the title of a page', () => {
  it.each([
    ['<html><head><TITLE lang=en>A &amp; B &#8212; caf&eacute;</TITLE></head>', 'A & B — café'],
    ['<title>\n  two\r\n\tlines\u00a0here </title>', 'two lines here'],
    ['<svg><title>drawing</title></svg><title>page</title>', 'page'],
    ['<title>first</title><title>second</title>', 'first'],
    ['<script>"<title>script</title>"</script><!-- <title>no</title> --><title>page</title>', 'page'],
    ['<title>1 < 2 <b>bold</b></title>', '1 < 2 <b>bold</b>'],
    ['<title>never closed', 'never closed'],
    ['<title>evil\u202etxt.exe\u0000\u0007</title>', 'eviltxt.exe'],
    ['<title>👨‍👩‍👧</title>', '👨‍👩‍👧'],
  ])('of %j is %j', (html, title) => {
    expect(titleOf(html)).toBe(title);
  });

  it.each(['', '<title></title>', '<title> \n </title>', '<p>no title', '<title', '\u0000'.repeat(50)])(
    'of %j is none',
    (html) => {
      expect(titleOf(html)).toBeNull();
    },
  );

  it('is read in the encoding that header, mark or page names', () => {
    const cyrillic = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]); // "Привет" in windows-1251
    const page = Buffer.concat([Buffer.from('<title>'), cyrillic, Buffer.from('</title>')]);
    expect(titleOf(page, 'text/html; charset=windows-1251')).toBe('Привет');
    expect(titleOf(Buffer.concat([Buffer.from('<meta charset=windows-1251>'), page]))).toBe('Привет');
    const header = '<META HTTP-EQUIV="Content-Type" content="text/html;charset=windows-1251">';
    expect(titleOf(Buffer.concat([Buffer.from(header), page]))).toBe('Привет');
    expect(titleOf(Buffer.concat([Buffer.from(' '.repeat(1_024) + header), page]))).not.toBe('Привет');
    expect(titleOf('<meta charset=utf-16><title>Привет</title>')).toBe('Привет');
    expect(titleOf(Buffer.from('\ufeff<title>Привет</title>', 'utf16le'))).toBe('Привет');
    expect(titleOf('<title>Привет</title>')).toBe('Привет');
    expect(titleOf('<title>Hello</title>', 'text/html; charset="x-user-defined"')).toBe('Hello');
    expect(titleOf('<title>Hello</title>', 'text/html; charset=nonsense')).toBe('Hello');
  });

  it.each(['text/plain', 'image/png', 'application/json', 'application/pdf', '', 'text/htmlx'])(
    'of something that says it is %j is none',
    (contentType) => {
      expect(titleOf('<title>Hello</title>', contentType)).toBeNull();
    },
  );

  it('of XHTML is read, too; of a page that says nothing it is not', () => {
    expect(titleOf('<title>Hello</title>', 'application/xhtml+xml;charset=utf-8')).toBe('Hello');
    expect(pageTitle({ contentType: undefined, body: Buffer.from('<title>Hello</title>') })).toBeNull();
  });

  it('of half a megabyte of open tags is found before anybody waits for it', () => {
    expect(titleOf(`<title>deep</title>${'<div>'.repeat(100_000)}`)).toBe('deep');
    expect(titleOf('<svg>'.repeat(100_000))).toBeNull();
  });
});
