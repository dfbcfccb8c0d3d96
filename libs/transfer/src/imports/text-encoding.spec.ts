import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { ChunkReport } from './chunk-report.js';
import { readRecords } from './read-records.js';
import { readRow } from './read-row.js';
import { decodeText, detectEncoding } from './text-encoding.js';

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

/** Characters of Windows-1252 by their bytes, but for those that have none. */
const WESTERN = [...new Array(256).keys()].filter(
  (byte) => byte >= 0x20 && byte !== 0x7f && ![0x81, 0x8d, 0x8f, 0x90, 0x9d].includes(byte),
);
const C1 = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ';
const C1_BYTES = [
  ...'\x80\x82\x83\x84\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8e\x91\x92\x93\x94\x95\x96\x97\x98\x99\x9a\x9b\x9c\x9e\x9f',
];
const fromWestern = (byte: number) => C1[C1_BYTES.indexOf(String.fromCharCode(byte))] ?? String.fromCharCode(byte);
const toWestern = (text: string) =>
  Buffer.from([...text].map((one) => (C1.includes(one) ? C1_BYTES[C1.indexOf(one)] : one)).join(''), 'latin1');

const swapped = (text: string) => Buffer.from(text, 'utf16le').swap16();
const ENCODINGS: Record<string, (text: string) => { bytes: Buffer; declared?: string }> = {
  'utf-8': (text) => ({ bytes: Buffer.from(text) }),
  'utf-8 with a mark': (text) => ({ bytes: Buffer.from(`\ufeff${text}`) }),
  'utf-16le with a mark': (text) => ({ bytes: Buffer.from(`\ufeff${text}`, 'utf16le') }),
  'utf-16be with a mark': (text) => ({ bytes: swapped(`\ufeff${text}`) }),
  'utf-16le without a mark': (text) => ({ bytes: Buffer.from(text, 'utf16le') }),
  'utf-16be without a mark': (text) => ({ bytes: swapped(text) }),
  'utf-16, declared': (text) => ({ bytes: swapped(text), declared: 'UTF-16' }),
};

async function linksIn(bytes: Buffer, declared: string | null, size: number) {
  const { charset, isAssumed } = await detectEncoding(inPieces(bytes, size), declared);
  const report = new ChunkReport();
  const links: object[] = [];
  for await (const record of readRecords(inPieces(bytes, size), { charset, source: 'csv' })) {
    for (const { link, line } of readRow({ source: 'csv', domain: null }, record, report).links)
      links.push({ line, longUrl: link.longUrl, slug: link.customSlug, title: link.title });
  }
  return { charset, isAssumed, links, told: report.remarks };
}

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
const tableOf = (texts: readonly string[], delimiter: string) =>
  [
    ['longUrl', 'shortCode', 'title'].join(delimiter),
    ...texts.map((text, n) =>
      ['https://example.com/é'.slice(0, -1) + n, `grün${n}`, quoted(`t${text}`)].join(delimiter),
    ),
    '',
  ].join('\r\n');
const expected = (texts: readonly string[]) =>
  texts.map((text, n) => ({ longUrl: `https://example.com/${n}`, slug: `grün${n}`, title: `t${text}` }));

describe('the character set of a file', () => {
  const delimiter = fc.constantFrom(',', ';', '\t', '|');
  const size = fc.integer({ min: 1, max: 40 });
  const western = fc.string({ unit: fc.constantFrom(...WESTERN).map(fromWestern) });

  it.each(Object.keys(ENCODINGS))('%s: any text is the same links, however its bytes come', async (name) => {
    const text = fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(text, delimiter, size, async (texts, separator, piece) => {
        const { bytes, declared = null } = ENCODINGS[name]!(tableOf(texts, separator));
        const { links, isAssumed, told } = await linksIn(bytes, declared, piece);
        expect(links).toMatchObject(expected(texts));
        expect([links.length, isAssumed, told]).toEqual([texts.length, false, []]);
      }),
    );
  });

  it('Windows-1252, declared or not: any of its text is the same links', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(western, { minLength: 1, maxLength: 5 }), size, async (texts, piece) => {
        // One character that makes it no UTF-8, as any text of some length has.
        const all = [...texts, 'é'];
        for (const declared of [null, 'windows-1252', 'ISO-8859-1']) {
          const { links, charset, isAssumed } = await linksIn(toWestern(tableOf(all, ';')), declared, piece);
          expect(links).toMatchObject(expected(all));
          expect([charset, isAssumed]).toEqual(['windows-1252', declared === null]);
        }
      }),
    );
  });

  it('counts all bytes: ASCII up to byte 100,000 and then é of Windows-1252', async () => {
    const rows = Array.from({ length: 3_000 }, (_, n) => `https://example.com/${n},s${n},plain`).join('\n');
    const bytes = Buffer.concat([
      Buffer.from(`longUrl,shortCode,title\n${rows}\nhttps://example.com/x,`),
      toWestern('café,Été\n'),
    ]);
    expect(bytes.indexOf(0xe9)).toBeGreaterThan(100_000);
    const { links, charset } = await linksIn(bytes, null, 65_536);
    expect([charset, links.at(-1)]).toEqual([
      'windows-1252',
      { line: 3_002, longUrl: 'https://example.com/x', slug: 'café', title: 'Été' },
    ]);
  });

  it.each([
    ['JSON in Windows-1252', toWestern('{"longUrl":"https://a.example/"}\n{"title":"é"}\n'), null, 'line 2'],
    ['JSON in UTF-16', Buffer.from('\ufeff{"longUrl":"x"}', 'utf16le'), null, 'JSON has to be UTF-8'],
    ['UTF-8 that is declared and is none', toWestern('longUrl\nhttps://a.example/é\n'), 'utf-8', 'line 2'],
    [
      'UTF-8 with one broken character',
      Buffer.concat([Buffer.from('longUrl,title\nx,äöü\ny,'), Buffer.of(0xc3, 0x0a)]),
      null,
      'line 3',
    ],
    [
      'UTF-8 with a mark and other bytes',
      Buffer.concat([Buffer.from('\ufefflongUrl\n'), Buffer.of(0xe9)]),
      null,
      'line 2',
    ],
    ['bytes that are no text', Buffer.of(0x6c, 0x81, 0x00, 0xff), null, 'not text'],
    ['UTF-32', Buffer.of(0xff, 0xfe, 0, 0, 0x6c, 0, 0, 0), null, 'UTF-32'],
    ['a character set that there is not', Buffer.from('x'), 'klingon', 'klingon'],
  ])('%s is refused', async (_, bytes, declared, why) => {
    await expect(detectEncoding(inPieces(bytes, 3), declared)).rejects.toMatchObject({
      code: 'unreadable-file',
      message: expect.stringContaining(why) as unknown,
    });
  });

  it.each([
    ['half a pair of UTF-16', Buffer.from('l\0\x00\xd8a\0', 'latin1'), 'utf-16le'],
    ['bytes of no character in Shift JIS', Buffer.of(0x61, 0x81, 0x20), 'shift_jis'],
  ])('%s is an error, and no other character', async (_, bytes, charset) => {
    const read = async () => {
      for await (const text of decodeText(inPieces(bytes, 2), charset)) expect(text).not.toContain('\ufffd');
    };
    await expect(read()).rejects.toMatchObject({ code: 'unreadable-file' });
  });
});
